/**
 * The conversation of the page, and the list of conversations.
 *
 * Belongs here: beginning, naming, sharing, deleting and finding conversations. Not here: their turns (`turns`).
 * Guarantee: the address of the page is the conversation's as soon as there is one, so a reload shows it.
 */

import { announce } from "../announce.js";
import { encoded, patch, post, put, remove, send } from "../api.js";
import { confirm } from "../dialogs.js";
import { $, $$, fragment, h } from "../dom.js";
import { t } from "../words.js";

const PAUSE = 250; // milliseconds after the last key, before the list is searched

export class Conversations {
  #chat;
  #list = $("[data-conversations]");
  #timer = null;

  constructor(chat) {
    this.#chat = chat;
    this.#prepare();
    const find = $(".find-form input");
    find?.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#show(find.value), PAUSE);
    });
    $("[data-act=history]")?.addEventListener("click", (event) => {
      const history = $("#history");
      const isOpen = history.toggleAttribute("data-shown");
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

  /** The list as the server writes it. */
  async #show(text) {
    const query = new URLSearchParams({ find: text, ...(this.#chat.conversation && { here: this.#chat.conversation }) });
    const response = await send("GET", `${this.#chat.path("history")}?${query}`, { seconds: 30 }).catch(() => null);
    if (!response) return;
    const list = $("[data-conversations]", fragment(await response.text()));
    this.#list.replaceWith(list);
    this.#list = list;
    this.#prepare();
    if (text) announce(t("%(count)s found", { count: $$("[data-conversation]", list).length }));
  }

  /** Make the menus of the rows work. */
  #prepare() {
    if (!this.#list) return;
    for (const menu of $$(".row-menu", this.#list)) menu.hidden = false;
    this.#list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-row]");
      if (button) this.#actOnRow(button.dataset.row, button.closest("[data-conversation]"));
    });
  }

  async #actOnRow(name, row) {
    const id = row.dataset.conversation;
    const address = `/api/v1/conversations/${id}`;
    try {
      if (name === "pin" || name === "unpin") await patch(address, { pinned: name === "pin" });
      else if (name === "rename") return this.#renameRow(row, address);
      else if (!await this.#delete(address, id)) return;
      await this.#show($(".find-form input").value);
      $(`[data-conversation="${id}"] summary`, this.#list)?.focus();
      announce({ pin: t("Pinned"), unpin: t("Unpinned"), delete: t("Deleted") }[name]);
    } catch (error) {
      announce(error.message);
    }
  }

  #renameRow(row, address) {
    const link = $("a", row);
    const field = h("input", { "aria-label": t("Title of the conversation"), maxlength: 200 });
    field.value = $(".cut", row).textContent;
    const form = h("form", { class: "joined" }, field, h("button", { class: "button" }, t("Save")));
    const back = () => { form.replaceWith(link); $("summary", row).focus(); };
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const title = field.value.trim();
      if (title) await patch(address, { title }).catch((error) => announce(error.message));
      if (title && row.dataset.conversation === this.#chat.conversation) $(".conversation-head h1").textContent = title;
      this.#show($(".find-form input").value);
    });
    form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); back(); } });
    link.replaceWith(form);
    $(".row-menu", row).open = false;
    field.focus();
  }

  /** Delete a conversation after asking; returns whether it is gone from a page that stays. */
  async #delete(address, id) {
    if (!await confirm({
      title: t("Delete this conversation?"), text: t("Its questions, answers and feedback are deleted. This cannot be undone."), yes: t("Delete"),
    })) return false;
    await remove(address);
    if (id === this.#chat.conversation) location.assign(this.#chat.path("chat"));
    return id !== this.#chat.conversation;
  }

  async #act(name, button) {
    const address = `/api/v1/conversations/${this.#chat.conversation}`;
    try {
      if (name === "share") this.#shared((await put(`${address}/share`)).shared, button);
      else if (name === "unshare") {
        await remove(`${address}/share`);
        button.hidden = true;
        announce(t("The link does not work any more"));
      } else if (name === "rename") await this.#rename(address);
      else if (name === "delete") await this.#delete(address, this.#chat.conversation);
    } catch (error) {
      announce(error.message);
    }
  }

  #shared(path, button) {
    const link = new URL(path, location.href).href;
    const field = h("input", { readonly: true, value: link, "aria-label": t("Link"), onfocus: (event) => event.target.select() });
    const dialog = h("dialog", { "aria-labelledby": "share-title" },
      h("div", { class: "stack" },
        h("h2", { id: "share-title" }, t("A link to read this conversation")),
        h("p", { class: "soft" }, t("Everyone who has the link can read it, also later questions. Nobody can ask with it.")), field),
      h("div", { class: "dialog-actions" },
        h("button", { class: "button", type: "button", onclick: () => navigator.clipboard.writeText(link).then(() => announce(t("Copied")), () => field.select()) }, t("Copy")),
        h("button", { class: "button primary", type: "button", onclick: () => dialog.close() }, t("Done"))));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    button.textContent = t("Show the link");
    $("[data-act=unshare]").hidden = false;
  }

  async #rename(address) {
    const head = $(".conversation-head h1");
    const field = h("input", { "aria-label": t("Title of the conversation"), maxlength: 200 });
    field.value = head.textContent;
    const form = h("form", { class: "joined" }, field, h("button", { class: "button" }, t("Save")));
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
