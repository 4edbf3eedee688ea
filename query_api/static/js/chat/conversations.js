/**
 * The conversation of the page, and the list of conversations.
 *
 * Belongs here: beginning, naming, sharing, deleting and finding conversations. Not here: their turns (`turns`).
 * Guarantee: the address of the page is the conversation's as soon as there is one, so a reload shows it.
 */

import { announce } from "../announce.js";
import { encoded, get, patch, post, put, remove } from "../api.js";
import { confirm } from "../dialogs.js";
import { $, counted, h } from "../dom.js";

const PAUSE = 250; // milliseconds after the last key, before the list is searched

export class Conversations {
  #chat;
  #list = $("[data-conversations]");
  #timer = null;

  constructor(chat) {
    this.#chat = chat;
    const find = $(".find-form input");
    find?.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#show(find.value), PAUSE);
    });
    $("[data-act=history]")?.addEventListener("click", (event) => {
      const history = $("#history");
      const isOpen = history.toggleAttribute("data-open");
      event.currentTarget.setAttribute("aria-expanded", String(isOpen));
    });
    $("[data-conversation-actions]").addEventListener("click", (event) => {
      const act = event.target.closest("[data-act]");
      if (act) this.#act(act.dataset.act, act);
    });
  }

  /** Begin a conversation, and give the page its address. */
  async begin(key) {
    const made = await post(`/api/v1/knowledge-bases/${encoded(this.#chat.kb)}/conversations`, {}, { headers: { "Idempotency-Key": key } });
    this.#chat.conversation = made.id;
    history.replaceState(null, "", this.#chat.path(`chat/${made.id}`));
    $("[data-composer]").action = location.pathname;
  }

  /** Show a conversation that was just asked: first in the list, and with its name on the page. */
  async touch(question) {
    if (!this.#list || !this.#chat.conversation) return;
    await this.#show($(".find-form input").value);
    const title = $("[aria-current] .cut", this.#list)?.textContent || question;
    $(".conversation-head h1").textContent = title;
    document.title = `${title} – ${document.title.split(" – ").at(-1)}`;
    if ($("[data-conversation-actions]").hidden) await this.#actions();
  }

  /** The menu of a conversation that began on this page, as the server writes it. */
  async #actions() {
    const page = await fetch(location.pathname).then((response) => response.text()).catch(() => "");
    const menu = new DOMParser().parseFromString(page, "text/html").querySelector("[data-conversation-actions]");
    if (!menu) return;
    const place = $("[data-conversation-actions]");
    place.replaceChildren(...menu.children);
    for (const element of place.querySelectorAll("[hidden]")) element.hidden = element.dataset.act === "unshare";
    place.hidden = false;
  }

  async #show(text) {
    const query = text ? `&query=${encoded(text)}` : "";
    const found = await get(`/api/v1/knowledge-bases/${encoded(this.#chat.kb)}/conversations?limit=30${query}`).catch(() => null);
    if (!found) return;
    const items = found.conversations.map((one) => h("li", {}, h("a", {
      href: this.#chat.path(`chat/${one.id}`), "aria-current": one.id === this.#chat.conversation ? "page" : null,
    }, h("span", { class: "cut" }, one.title || "Not asked yet"),
    h("span", { class: "small soft" }, counted(one.turn_count, "question")))));
    this.#list.replaceChildren(...(items.length ? items : [h("li", { class: "small soft history-none" }, "Nothing found.")]));
    if (text) announce(`${items.length} found`);
  }

  async #act(name, button) {
    const address = `/api/v1/conversations/${this.#chat.conversation}`;
    try {
      if (name === "share") this.#shared((await put(`${address}/share`)).shared, button);
      else if (name === "unshare") {
        await remove(`${address}/share`);
        button.hidden = true;
        announce("The link does not work any more");
      } else if (name === "rename") await this.#rename(address);
      else if (name === "delete" && await confirm({
        title: "Delete this conversation?", text: "Its questions, answers and feedback are deleted. This cannot be undone.", yes: "Delete",
      })) {
        await remove(address);
        location.assign(this.#chat.path("chat"));
      }
    } catch (error) {
      announce(error.message);
    }
  }

  #shared(path, button) {
    const link = new URL(path, location.href).href;
    const field = h("input", { readonly: true, value: link, "aria-label": "Link", onfocus: (event) => event.target.select() });
    const dialog = h("dialog", { "aria-labelledby": "share-title" },
      h("div", { class: "stack" },
        h("h2", { id: "share-title" }, "A link to read this conversation"),
        h("p", { class: "soft" }, "Everyone who has the link can read it, also later questions. Nobody can ask with it."), field),
      h("div", { class: "dialog-actions" },
        h("button", { class: "button", type: "button", onclick: () => navigator.clipboard.writeText(link).then(() => announce("Copied"), () => field.select()) }, "Copy"),
        h("button", { class: "button primary", type: "button", onclick: () => dialog.close() }, "Done")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    button.textContent = "Show the link";
    $("[data-act=unshare]").hidden = false;
  }

  async #rename(address) {
    const head = $(".conversation-head h1");
    const field = h("input", { "aria-label": "Title of the conversation", maxlength: 200 });
    field.value = head.textContent;
    const form = h("form", { class: "joined" }, field, h("button", { class: "button" }, "Save"));
    const back = () => form.replaceWith(head);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const title = field.value.trim();
      if (title) head.textContent = (await patch(address, { title })).title;
      back();
      this.#show($(".find-form input").value);
    });
    form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); back(); } });
    head.replaceWith(form);
    field.focus();
  }
}
