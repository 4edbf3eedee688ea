/**
 * What a reader can do with a turn: copy, try again, edit, judge, look at every passage.
 *
 * Belongs here: these actions, and putting a complete turn in the place of one that grew. Not here: asking (`main`).
 * Guarantee: earlier versions of a turn are kept.
 */

import { announce } from "../announce.js";
import { put, remove, send } from "../api.js";
import { $, $$, dataOf, fragment, h, number } from "../dom.js";
import { QUOTES } from "./growing.js";
import { t } from "../words.js";

const UNSUPPORTED = " (no passage supports this)"; // as the server says it to screen readers

/** The text of an answer as it was written, without what is said about it. */
export const textOf = (turn) => $("[data-answer]", turn).innerText.replaceAll(UNSUPPORTED, "");

/** A button that copies a block of code. */
function addCopy(code) {
  const text = code.textContent.replaceAll(UNSUPPORTED, "");
  const button = h("button", { class: "button quiet icon copy-code", type: "button", "aria-label": t("Copy the code"), title: t("Copy"),
    onclick: () => navigator.clipboard.writeText(text).then(() => announce(t("Copied")), () => announce(t("The browser does not allow copying here"))) });
  button.append($("[data-act=copy] svg").cloneNode(true));
  const frame = h("div", { class: "code-frame" });
  code.replaceWith(frame);
  frame.append(code, button);
}

/** Why a question is refused, with its length; empty if it may be asked. */
export function tooLong(question, limit) {
  const length = [...question].length;
  return length > limit ? t("The question has %(length)s characters; at most %(limit)s are allowed. Shorten it.", { length: number(length), limit: number(limit) }) : "";
}

export class Turns {
  #chat;
  #citations;

  constructor(list, chat, citations) {
    this.#chat = chat;
    this.#citations = citations;
    list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-act]");
      if (button) this.#act(button.dataset.act, button.closest(".turn"), button);
    });
  }

  /** Make the parts of a turn that need a script work. */
  prepare(turn) {
    for (const element of $$("[hidden][data-act], .candidates, .chip[hidden]", turn)) element.hidden = false;
    if (turn.dataset.citations) this.#citations.link(turn, dataOf(turn, "citations"));
    for (const code of $$("[data-answer] pre", turn)) addCopy(code);
    const candidates = $("[data-candidates]", turn);
    candidates?.addEventListener("toggle", async () => {
      const found = $("[data-found]", candidates);
      if (!candidates.open || found.children.length) return;
      found.replaceChildren(await this.#part(candidates.dataset.candidates).catch((error) => h("p", { class: "notice bad" }, error.message)));
    });
  }

  /** Put the complete turn in the place of the one that grew; returns it. */
  async complete(turn, answer) {
    const whole = await this.load(answer?.id ?? turn.dataset.turn).catch(() => null);
    if (!whole) return null;
    if (!this.#chat.stores) $(".question", whole).textContent = $(".question", turn).textContent;
    turn.replaceWith(whole);
    this.prepare(whole);
    return whole;
  }

  /** A turn as the server shows it; null if it shows none. */
  async load(id) {
    return $(".turn", await this.#part(this.#chat.path(`turns/${id}`)));
  }

  async #part(address) {
    return fragment(await (await send("GET", address, { seconds: 30 })).text());
  }

  async #act(name, turn, button) {
    if (name === "copy") {
      await navigator.clipboard.writeText(textOf(turn)).then(
        () => announce(t("Copied")), () => announce(t("The browser does not allow copying here")));
    } else if (name === "retry") {
      this.#chat.ask($(".question", turn).textContent, { parent: turn.dataset.parent || null, before: turn });
    } else if (name === "quote") {
      this.#chat.ask($(".question", turn).textContent, { parent: turn.dataset.parent || null, before: turn, settings: { model: QUOTES } });
    } else if (name === "edit") this.#edit(turn, button);
    else if (name === "up" || name === "down") await this.#vote(name, turn, button);
  }

  #edit(turn, button) {
    if ($(".edit-form", turn)) return;
    const asked = $(".question", turn);
    const field = h("textarea", { "aria-label": t("Edit the question"), rows: 3, required: true });
    field.addEventListener("input", () => field.setCustomValidity(tooLong(field.value.trim(), this.#chat.limit)));
    field.value = asked.textContent;
    const close = () => { form.remove(); asked.hidden = false; button.focus(); };
    const form = h("form", { class: "edit-form stack-s" }, field,
      h("div", { class: "cluster" },
        h("button", { class: "button primary" }, t("Ask again")),
        h("button", { class: "button", type: "button", onclick: close }, t("Cancel"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const question = field.value.trim();
      if (question) this.#chat.ask(question, { parent: turn.dataset.parent || null, before: turn });
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.stopPropagation(); close(); }
      else if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) { event.preventDefault(); form.requestSubmit(); }
    });
    asked.hidden = true;
    asked.after(form);
    field.focus();
  }

  async #vote(vote, turn, button) {
    const address = `/api/v1/answers/${turn.dataset.turn}/feedback`;
    const isTaken = button.getAttribute("aria-pressed") === "true";
    try {
      await (isTaken ? remove(address) : put(address, { vote }));
    } catch (error) {
      announce(error.message);
      return;
    }
    for (const each of $$("[data-act=up], [data-act=down]", turn)) each.setAttribute("aria-pressed", String(each === button && !isTaken));
    announce(isTaken ? t("Feedback taken back") : t("Feedback saved"));
    this.#comment(turn, address, isTaken ? null : vote);
  }

  /** Ask what is wrong with a bad answer; nobody has to say it. */
  #comment(turn, address, vote) {
    const place = $("[data-comment]", turn);
    place.hidden = vote !== "down";
    if (vote !== "down") return;
    const field = h("input", { "aria-label": t("What is wrong with it?"), placeholder: t("What is wrong with it?"), maxlength: 2000 });
    const form = h("form", { class: "joined" }, field, h("button", { class: "button" }, t("Send")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      await put(address, { vote, comment: field.value.trim() }).then(
        () => place.replaceChildren(h("p", { class: "small soft" }, t("Thank you. Your comment is saved."))),
        (error) => announce(error.message));
    });
    place.replaceChildren(form);
    field.focus();
  }
}
