/**
 * Citations: their markers in the text, the passage beside it, the preview.
 *
 * Belongs here: all three. Not here: the passage's HTML, which the server makes. Guarantee: only a marker of a citation
 * becomes a button; what opens is what was cited.
 */

import { send } from "../api.js";
import { $, $$, fragment, h } from "../dom.js";
import { announce } from "../announce.js";
import { t } from "../words.js";

const MARKER = /\[\d{1,3}\]/g;
const REST = 180; // milliseconds until a preview

export class Citations {
  #pane;
  #chat;
  #body;
  #opener = null;
  #kept = new Map();
  #preview = null;
  #timer = null;
  #wanted = 0;

  constructor(pane, chat) {
    this.#pane = pane;
    this.#chat = chat;
    this.#body = $("[data-pane-body]", pane);
    document.addEventListener("click", (event) => this.#clicked(event));
    document.addEventListener("mouseover", (event) => this.#rest(event.target));
    document.addEventListener("focusin", (event) => this.#rest(event.target));
    document.addEventListener("focusout", () => this.#hidePreview());
    $("[data-act=close]", pane).addEventListener("click", () => this.close());
    $("[data-act=before]", pane).addEventListener("click", () => this.step(-1));
    $("[data-act=next]", pane).addEventListener("click", () => this.step(1));
  }

  get isOpen() {
    return !this.#pane.hidden;
  }

  /** The page of the passage that a citation of the API cites. */
  address(citation) {
    const place = new URLSearchParams({ start: citation.start, end: citation.end });
    if (citation.place?.kind === "second") place.set("second", citation.place.first);
    return `${this.#chat.path(`passages/${citation.document_version_id}`)}?${place}`;
  }

  /** Make buttons of the markers in a turn's text; `addresses` are those of the passages, by marker. */
  link(turn, addresses) {
    const walker = document.createTreeWalker($("[data-answer]", turn), NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (!text.parentElement.closest("pre, code, math, .cite") && text.data.includes("[")) texts.push(text);
    }
    for (const text of texts) this.#split(text, addresses);
  }

  #split(text, addresses) {
    const pieces = [];
    let end = 0;
    for (const match of text.data.matchAll(MARKER)) {
      const address = addresses[match[0]];
      if (!address) continue;
      pieces.push(text.data.slice(end, match.index), h("button", {
        class: "cite", type: "button", "data-open": address, "aria-expanded": "false", "aria-label": t("Citation %(number)s", { number: match[0].slice(1, -1) }),
      }, match[0].slice(1, -1)));
      end = match.index + match[0].length;
    }
    if (pieces.length) text.replaceWith(...pieces, text.data.slice(end));
  }

  #clicked(event) {
    const opener = event.target.closest("[data-open]");
    if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (this.#opener === opener && this.isOpen) this.close();
    else this.open(opener);
  }

  /** Open the passage of a marker or of a source card beside the text. */
  async open(opener) {
    this.#hidePreview();
    const number = ++this.#wanted;
    this.#mark(false);
    this.#opener = opener;
    this.#mark(true);
    this.#pane.hidden = false;
    this.#body.replaceChildren(h("p", { class: "soft" }, t("Opening the passage …")));
    try {
      const passage = fragment(await this.#load(addressOf(opener)));
      if (number !== this.#wanted) return;
      this.#body.replaceChildren(passage);
    } catch (error) {
      if (number !== this.#wanted) return;
      this.#body.replaceChildren(h("p", { class: "notice bad", role: "alert" }, error.message));
      return;
    }
    const [all, at] = this.#around();
    $("[data-pane-place]", this.#pane).textContent = at < 0 ? "" : t("Citation %(number)s of %(count)s", { number: at + 1, count: all.length });
    $("[data-pane-place]", this.#pane).dataset.title = $(".passage-title", this.#body)?.textContent ?? "";
    this.#pane.scrollTop = 0; // titles come before the text
    if (!$(".page-picture", this.#body)) $("mark", this.#body)?.scrollIntoView({ block: "nearest" });
    $(".passage-title", this.#body)?.focus({ preventScroll: true });
    announce(t("Passage opened"));
  }

  close() {
    this.#pane.hidden = true;
    this.#mark(false);
    this.#opener?.focus();
    this.#opener = null;
  }

  /** Open the next or the previous citation of the text. */
  step(by) {
    const [all, at] = this.#around();
    if (!all.length) return;
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length;
    all[next].scrollIntoView({ block: "nearest" });
    this.open(all[next]);
  }

  /** All markers of the page, and which one is open. */
  #around() {
    const all = $$(".cite");
    const at = all.indexOf(this.#opener);
    return [all, at >= 0 || !this.#opener ? at : all.findIndex((one) => addressOf(one) === addressOf(this.#opener))];
  }

  #mark(isOpen) {
    if (!this.#opener) return;
    if (this.#opener.matches(".cite")) this.#opener.setAttribute("aria-expanded", String(isOpen));
    else if (isOpen) this.#opener.setAttribute("aria-current", "true");
    else this.#opener.removeAttribute("aria-current");
  }

  async #load(address) {
    if (!this.#kept.has(address)) {
      const response = await send("GET", `${address}&part`, { seconds: 30 });
      this.#kept.set(address, await response.text());
    }
    return this.#kept.get(address);
  }

  #rest(target) {
    const marker = target instanceof Element ? target.closest(".cite") : null;
    if (!marker) return this.#hidePreview();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#showPreview(marker), REST);
    return undefined;
  }

  async #showPreview(marker) {
    if (this.#opener === marker && this.isOpen) return;
    const html = await this.#load(addressOf(marker)).catch(() => null);
    if (html === null || !marker.matches(":hover, :focus-visible")) return;
    const passage = fragment(html);
    const quote = [...passage.querySelectorAll("mark")].map((mark) => mark.textContent).join(" ").trim();
    this.#preview?.remove();
    this.#preview = h("div", { class: "preview", popover: "manual", "aria-hidden": "true" },
      h("p", {}, h("b", {}, $(".passage-title", passage).textContent)),
      h("p", { class: "small soft" }, $(".passage-title + p", passage).textContent.trim()),
      h("p", {}, quote.slice(0, 300)));
    document.body.append(this.#preview);
    this.#preview.showPopover();
    const [at, size] = [marker.getBoundingClientRect(), this.#preview.getBoundingClientRect()];
    const top = at.bottom + 8 + size.height > innerHeight ? at.top - size.height - 8 : at.bottom + 8;
    this.#preview.style.setProperty("left", `${Math.max(16, Math.min(at.left, innerWidth - size.width - 16))}px`);
    this.#preview.style.setProperty("top", `${top}px`);
  }

  #hidePreview() {
    clearTimeout(this.#timer);
    this.#preview?.remove();
    this.#preview = null;
  }
}

const addressOf = (opener) => opener.dataset.open || opener.getAttribute("href");
