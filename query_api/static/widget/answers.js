/**
 * One question and its answer in the widget.
 *
 * Belongs here: the answer while it grows, its citations, its sources, further passages, votes. Not here: asking (panel.js). Guarantee: text
 * stays text; the only HTML is that of our server's sanitiser, and browsers that can sanitise do it once more.
 */

import { h } from "../js/dom.js";

const MARKER = /\[\d{1,3}\]/g;

export class AnswerView {
  #turn;
  #act;
  #body = h("div", { class: "answer", lang: "" });
  #below = h("div", { class: "below" });
  #stage = h("p", { class: "stage" }, h("i", { "aria-hidden": "true" }), h("span", {}, "Searching"));
  #blocks = [];
  #passage = null;
  #opener = null;

  /** `turn` is {question, id, html, state, refused, citations, quote, unsupported, further, vote}; `act` has vote(turn, vote, comment) and say(text). */
  constructor(turn, act) {
    [this.#turn, this.#act] = [turn, act];
    this.element = h("article", { class: "turn" }, h("h3", { dir: "auto" }, turn.question), this.#stage, this.#body, this.#below);
    for (const [index, html] of (turn.html ?? []).entries()) this.block({ index, html });
    if (turn.state !== "generating") this.finish();
  }

  stage(name) {
    this.#stage.lastChild.textContent = name === "searching" ? "Searching" : "Reading";
  }

  /** A block of the text: a new one, or other HTML for one that grows. */
  block({ index, html }) {
    const block = (this.#blocks[index] ??= this.#body.appendChild(h("div", { class: "block", dir: "auto" })));
    if (block.setHTML) block.setHTML(html);
    else block.innerHTML = html;
    for (const table of block.querySelectorAll("table")) {
      const frame = h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" });
      table.replaceWith(frame);
      frame.append(table);
    }
    for (const span of block.querySelectorAll("span")) span.className = span.title ? "unsupported" : "hidden"; // sanitisers drop classes
    for (const pre of block.querySelectorAll("pre")) pre.tabIndex = 0;
    for (const link of block.querySelectorAll("a[href]")) outside(link);
    (this.#turn.html ??= [])[index] = html;
    this.#stage.hidden = true;
    this.#link(block);
  }

  cite(citation) {
    (this.#turn.citations ??= []).push(citation);
    for (const block of this.#blocks) this.#link(block);
  }

  /** The answer has ended: its sources, and the question whether it helped. */
  finish() {
    const { state, refused, html = [] } = this.#turn;
    this.#stage.hidden = true;
    for (const block of this.#blocks.splice(html.length)) block.remove();
    for (const block of this.#blocks) this.#link(block);
    this.#quoted();
    const notes = [state === "cancelled" && "Stopped.", unsupported(this.#turn.unsupported)].filter(Boolean);
    this.#below.replaceChildren(...[...notes.map((note) => h("p", { class: "note", dir: "auto" }, note)),
      !refused && this.#sources(), !refused && this.#further(), this.#votes()].filter(Boolean));
  }

  /** Instead of an answer: why there is none, and what may help. */
  fail(text, results = []) {
    this.#stage.hidden = true;
    const list = results.map((one) => h("li", {}, title(one), where(one), h("p", { dir: "auto" }, one.text)));
    this.#below.replaceChildren(h("p", { class: "note bad", dir: "auto" }, text),
      ...(list.length ? [h("h4", {}, "Found by search"), h("ul", { class: "results", role: "list" }, ...list)] : []));
  }

  #link(block) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("pre, code, .cite")) texts.push(walker.currentNode);
    for (const text of texts) {
      const pieces = [];
      let end = 0;
      for (const match of text.data.matchAll(MARKER)) {
        const citation = this.#cited(match[0]);
        if (!citation) continue;
        pieces.push(text.data.slice(end, match.index).replace(/ $/, "\u00a0"), this.#marker(citation));
        end = match.index + match[0].length;
      }
      if (pieces.length) text.replaceWith(...pieces, text.data.slice(end));
    }
  }

  #cited(marker) {
    return this.#turn.citations?.find((one) => one.marker === marker);
  }

  #marker(citation) {
    const number = citation.marker.slice(1, -1);
    const button = h("button", { class: "cite", type: "button", "aria-expanded": "false",
      "aria-label": `Source ${number}: ${citation.title}`, title: citation.title }, number);
    button.addEventListener("click", () => this.#toggle(button, citation));
    return button;
  }

  #toggle(button, citation) {
    const isOpen = this.#opener === button;
    this.#close();
    if (isOpen) return;
    this.#opener = button;
    button.setAttribute("aria-expanded", "true");
    this.#passage = h("blockquote", { class: "passage" }, title(citation), where(citation),
      h("p", { dir: "auto" }, citation.before, h("mark", {}, citation.text), citation.after),
      citation.link && outside(h("a", { href: citation.link, class: "more" }, "Read it at the source")));
    (button.closest(".block, li") ?? this.#body).after(this.#passage);
    this.#passage.scrollIntoView({ block: "nearest" });
    this.#act.say(`${citation.title}. ${citation.text}`);
  }

  #close() {
    this.#passage?.remove();
    this.#opener?.setAttribute("aria-expanded", "false");
    [this.#passage, this.#opener] = [null, null];
  }

  #sources() {
    const shown = this.#turn.citations ?? [];
    if (!shown.length) return null;
    const items = shown.map((one) => h("li", {}, this.#marker(one), h("div", {}, title(one), where(one))));
    return h("section", { class: "sources" }, h("h4", {}, shown.length === 1 ? "Source" : "Sources"), h("ul", { role: "list" }, ...items));
  }

  /** The quote beneath what a model wrote is named as the document's words. */
  #quoted() {
    const quote = this.#turn.quote && this.#blocks.findLast((block) => block.firstElementChild?.tagName === "BLOCKQUOTE");
    if (!quote || quote.matches(".quoted")) return;
    quote.classList.add("quoted");
    quote.setAttribute("role", "group");
    quote.setAttribute("aria-label", "The document’s words");
    quote.prepend(h("small", { "aria-hidden": "true" }, "The document’s words"));
  }

  #further() {
    const shown = this.#turn.further ?? [];
    if (!shown.length) return null;
    const items = shown.map((one) => h("li", {}, h("div", {}, title(one), h("p", { dir: "auto" }, one.text), where(one))));
    return h("section", { class: "sources" }, h("h4", {}, "Further"), h("ul", { role: "list" }, ...items));
  }

  #votes() {
    const turn = this.#turn;
    if (!turn.id) return null;
    const said = h("span", { class: "said", dir: "auto" }, "Was this helpful?");
    const buttons = [["up", "Yes"], ["down", "No"]].map(([vote, label]) => h("button", { class: "vote", type: "button",
      "aria-pressed": String(turn.vote === vote), "aria-label": vote === "up" ? "Yes, good answer" : "No, bad answer", onclick: () => give(vote) }, label));
    const line = h("div", { class: "votes", role: "group", "aria-label": "Feedback" }, said, ...buttons);
    const give = async (vote, comment = "") => {
      if (!(await this.#act.vote(turn, vote, comment))) return;
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === (vote === "up" ? "Yes" : "No")));
      said.textContent = "Thank you.";
      line.nextElementSibling?.remove();
      if (vote === "down" && !comment) line.after(wrong(give));
    };
    return h("div", {}, line);
  }
}

function wrong(give) {
  const field = h("textarea", { rows: "2", maxlength: "1000", "aria-label": "What is wrong with it?", placeholder: "What is wrong with it?" });
  return h("form", { class: "wrong", onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) give("down", field.value.trim()); } },
    field, h("button", { class: "small" }, "Send"));
}

function unsupported(count) {
  if (!count) return "";
  return count === 1 ? "One sentence is supported by no passage." : `${count} sentences are supported by no passage.`;
}

function title(passage) {
  return passage.link ? outside(h("a", { href: passage.link, dir: "auto" }, passage.title)) : h("b", { dir: "auto" }, passage.title);
}

function where(passage) {
  const parts = [...passage.breadcrumb.filter((part) => part !== passage.title), passage.place].filter(Boolean);
  return parts.length ? h("small", { dir: "auto" }, parts.join(" › ")) : null;
}

/** A link that leaves the visitor's page open. */
function outside(link) {
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}
