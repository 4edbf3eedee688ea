/**
 * The widget's panel: asking, following answers, the conversation of this tab.
 *
 * Belongs here: the dialog (or the group, if the widget is part of the page) and its form. Not here: one answer
 * (answers.js), requests (session.js). Guarantee: Escape closes it and the focus returns to the button; the page behind
 * gets no key; the text is not scrolled against the reader; every failure is told in plain words.
 */

import { h } from "../js/dom.js";
import { AnswerView } from "./answers.js";
import { Session } from "./session.js";
import { look, themed } from "./style.js";

const PROBLEMS = {
  BUDGET_SPENT: "All questions of today are used up. Questions are answered again after midnight UTC.",
  RATE_LIMITED: "Too many questions at the moment. Please wait a little, and ask again.",
  NO_DOCUMENTS: "There is nothing to search yet.",
  PROCESSING_INCOMPLETE: "The documents are still being read. Please try again in a few minutes.",
};
const BROKEN = "Something went wrong. Please try again.";
const UNREACHABLE = "The assistant cannot be reached. Check your connection, and try again.";

export class Panel {
  #session;
  #isInline;
  #frame;
  #log;
  #greeting = h("p", { class: "greeting", dir: "auto" });
  #title = h("h2", { id: "title", dir: "auto" });
  #field = h("textarea", { id: "question", rows: "1", enterkeyhint: "send", dir: "auto", autocomplete: "off" });
  #send = h("button", { class: "send" });
  #status = h("p", { class: "hidden", role: "status" });
  #colours = new CSSStyleSheet();
  #running = null;

  constructor(host, base, settings) {
    this.#isInline = host.getAttribute("mode") === "inline";
    this.#session = new Session(host.id, base);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(look);
    host.shadowRoot.adoptedStyleSheets.push(sheet, this.#colours);
    this.#build();
    this.show(settings);
    host.shadowRoot.append(this.#frame);
    for (const turn of this.#session.turns) this.#restore(turn);
  }

  /** Show other settings. */
  show({ label, greeting, placeholder, theme, accent }) {
    this.#title.textContent = label;
    this.#greeting.textContent = greeting;
    this.#field.placeholder = placeholder;
    this.#colours.replaceSync(themed(accent, theme));
  }

  open() {
    if (!this.#isInline && !this.#frame.open) this.#frame.showModal();
    if (!this.#isInline) this.#field.focus();
    this.#toEnd();
  }

  #build() {
    const close = this.#isInline ? null : h("button", { class: "tool", type: "button", "aria-label": "Close", onclick: () => this.#frame.close() }, cross());
    const fresh = h("button", { class: "tool text", type: "button", onclick: () => this.#clear() }, "New");
    fresh.setAttribute("aria-label", "New conversation");
    this.#log = h("div", { class: "log", tabindex: "0", role: "group", "aria-label": "Conversation" }, this.#greeting);
    const form = h("form", { class: "ask", onsubmit: (event) => this.#submitted(event) },
      h("label", { class: "hidden", for: "question" }, "Your question"), this.#field, this.#send);
    const foot = h("p", { class: "foot", dir: "auto" }, "Answers are made by a machine. Check the sources.");
    this.#frame = h(this.#isInline ? "div" : "dialog", { class: "frame", role: this.#isInline && "group", "aria-labelledby": "title", lang: "en" },
      h("div", { class: "head" }, this.#title, fresh, close), this.#log, form, foot, this.#status);
    this.#field.addEventListener("keydown", (event) => this.#typed(event));
    this.#field.addEventListener("input", () => this.#fit());
    this.#frame.addEventListener("keydown", (event) => event.stopPropagation()); // the page's own keys are not meant
    this.#frame.addEventListener("click", (event) => { if (event.target === this.#frame && !this.#isInline) this.#frame.close(); });
    this.#wait(false);
  }

  #typed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!this.#running) this.#ask();
  }

  #submitted(event) {
    event.preventDefault();
    if (this.#running) this.#stop();
    else this.#ask();
  }

  async #ask() {
    const question = this.#field.value.trim();
    if (!question) return;
    this.#field.value = "";
    this.#fit();
    const follows = this.#session.turns.findLast((turn) => turn.state === "done" && turn.id)?.id;
    const turn = { question, state: "generating" };
    this.#session.turns.push(turn);
    await this.#follow(turn, (handle, signal) => this.#session.ask(question, follows, handle, signal));
  }

  async #restore(turn) {
    if (turn.state === "generating" && turn.id) {
      [turn.html, turn.citations] = [[], []];
      await this.#follow(turn, (handle, signal) => this.#session.follow(turn.id, handle, signal));
    } else if (turn.state === "done" || turn.state === "cancelled") {
      this.#log.append(this.#view(turn).element);
    }
  }

  #view(turn) {
    return new AnswerView(turn, { say: (text) => this.#say(text), vote: (...given) => this.#vote(...given) });
  }

  async #follow(turn, begin) {
    const view = this.#view(turn);
    this.#log.append(view.element);
    this.#log.scrollTop = this.#log.scrollHeight;
    const running = { turn, ending: new AbortController() };
    this.#running = running;
    this.#wait(true);
    this.#say("Searching");
    try {
      await begin((event) => this.#take(view, turn, event), running.ending.signal);
      if (running.ending.signal.aborted) {
        turn.state = "cancelled";
        view.finish();
      } else if (turn.state === "generating") await this.#failed(view, turn, {});
    } catch (error) {
      await this.#failed(view, turn, error);
    } finally {
      if (this.#running === running) this.#running = null;
      this.#session.keep();
      this.#wait(this.#running !== null);
    }
  }

  /** Take an event; false after the last one. */
  #take(view, turn, { name, data }) {
    const told = JSON.parse(data);
    const isAtEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 48;
    if (name === "status") {
      turn.id = told.id;
      view.stage(told.stage);
      this.#session.keep();
    } else if (name === "block") view.block(told);
    else if (name === "citation") view.cite(told);
    else if (name === "done") {
      const { id, state, refused, citations, quote, unsupported, further } = told;
      Object.assign(turn, { id, state, refused, citations, quote, unsupported, further });
      turn.html = turn.html?.filter(Boolean);
      view.finish();
      const count = told.citations.length;
      this.#say(told.state === "cancelled" ? "Stopped" : `Answer complete, ${count} ${count === 1 ? "source" : "sources"}`);
    } else if (name === "error") {
      turn.state = "failed";
      view.fail(PROBLEMS[told.code] ?? told.detail);
      this.#say(PROBLEMS[told.code] ?? told.detail);
    }
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight;
    return name !== "done" && name !== "error";
  }

  async #failed(view, turn, error) {
    turn.state = "failed";
    const text = PROBLEMS[error.code] ?? (error.code === "QUESTION_TOO_LONG" ? error.message : error.status === 0 ? UNREACHABLE : BROKEN);
    let results = [];
    if (error.code === "BUDGET_SPENT") {
      try {
        ({ results } = await this.#session.search(turn.question));
      } catch {
        // the message alone has to do
      }
    } else if (!this.#field.value) {
      this.#field.value = turn.question; // nothing that was typed is lost
      this.#fit();
    }
    view.fail(text, results);
    this.#say(text);
    this.#toEnd();
  }

  async #stop() {
    const { turn, ending } = this.#running;
    try {
      if (turn.id) await this.#session.cancel(turn.id);
      else ending.abort(); // nothing has arrived yet
    } catch {
      ending.abort();
    }
  }

  async #vote(turn, vote, comment) {
    try {
      await this.#session.vote(turn.id, vote, comment);
    } catch {
      this.#say("Your feedback could not be sent.");
      return false;
    }
    turn.vote = vote;
    this.#session.keep();
    this.#say("Thank you for your feedback");
    return true;
  }

  #clear() {
    if (this.#running) this.#stop();
    this.#session.clear();
    this.#log.replaceChildren(this.#greeting);
    this.#say("New conversation");
    this.#field.focus();
  }

  #wait(isRunning) {
    this.#send.replaceChildren(isRunning ? square() : arrow());
    this.#send.setAttribute("aria-label", isRunning ? "Stop" : "Ask");
  }

  #fit() {
    this.#field.rows = Math.min(5, Math.max(1, this.#field.value.split("\n").length, Math.ceil(this.#field.value.length / 42)));
  }

  #toEnd() {
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #say(text) {
    this.#status.textContent = "";
    setTimeout(() => { this.#status.textContent = text; }, 100);
  }
}

const cross = () => drawn("M6 6l12 12M18 6L6 18");
const arrow = () => drawn("M12 19V5M5 12l7-7 7 7");
const square = () => drawn("M7 7h10v10H7z", "currentColor");

function drawn(path, fill = "none") {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = svg.appendChild(document.createElementNS(svg.namespaceURI, "path"));
  const values = { viewBox: "0 0 24 24", width: 20, height: 20, fill, stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round",
    "stroke-linejoin": "round", "aria-hidden": "true" };
  for (const [name, value] of Object.entries(values)) svg.setAttribute(name, value);
  line.setAttribute("d", path);
  return svg;
}
