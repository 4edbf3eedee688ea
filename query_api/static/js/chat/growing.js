/**
 * An answer while it grows.
 *
 * Belongs here: a new turn, and following the events of its answer: the passages that were found, then the text. Not
 * here: what a complete turn shows (`turns`).
 * Guarantee: an answer goes on growing after the connection broke, the page was hidden or the server restarted; what
 * was stopped stays as it was.
 */

import { ApiError, post } from "../api.js";
import { $, counted, fragment, h } from "../dom.js";
import { follow, whileVisible } from "../sse.js";
import { t } from "../words.js";

const STAGES = {
  understanding: t("Reading the question …"), searching: t("Searching …"), grading: t("Checking the passages …"), answering: t("Answering …"),
};

export const QUOTES = "builtin/extractive";
const SHOWN = 5; // passages, before the text

/** The elements of a turn whose answer, by a model, has not begun. */
export function newTurn(question, parent, model) {
  return h("li", { class: "turn", "data-turn": "", "data-parent": parent ?? "", "data-state": "generating", "data-model": model },
    h("h2", { class: "visually-hidden" }, t("Question and answer")),
    h("div", { class: "asked" }, h("p", { class: "question" }, question)),
    h("div", { class: "answer" },
      h("div", { class: "prose", "data-answer": "" }),
      h("p", { class: "soft", "data-said": "" }, t("Asking …"))));
}

/**
 * Follow the answer of a turn.
 *
 * @param {HTMLElement} turn
 * @param {{path: string, body: unknown, key: string} | null} asking how to begin it; null if it has begun
 * @param {{kb: string}} chat
 * @param {import("./citations.js").Citations} citations
 * @param {() => void} grew
 * @returns {{finished: Promise<object>, stop: () => void, isQuoteWanted: boolean}} `finished` is the answer; it fails if
 *   there is none; `isQuoteWanted` says that the reader would rather have a quote
 */
export function attach(turn, asking, chat, citations, grew) {
  const answer = $("[data-answer]", turn);
  const state = $("[data-said]", turn);
  const known = {};
  let [address, method, body, lastId] = asking
    ? [asking.path, "POST", asking.body, ""]
    : [`/api/v1/answers/${turn.dataset.turn}/events?render=html`, "GET", undefined, ""];
  let settle;
  let isStopped = false;
  let id = turn.dataset.turn;
  const finished = new Promise((resolve, reject) => { settle = { resolve, reject }; });
  if (!asking) answer.replaceChildren();

  function handle(event) {
    lastId = event.id || lastId;
    const data = JSON.parse(event.data);
    if (event.name === "status") {
      turn.dataset.turn = data.answer_id;
      turn.id = `turn-${data.answer_id}`;
      named(data.answer_id);
      if (!isStopped) state.textContent = STAGES[data.stage] ?? t("Answering …");
    } else if (event.name === "sources") {
      found(turn, data.passages, citations);
      if (data.passages.length && turn.dataset.model !== QUOTES && !isStopped) offerQuote();
      grew();
    } else if (event.name === "block") {
      if (data.html) begun();
      show(answer, data);
      citations.link(turn, known);
      grew();
    } else if (event.name === "citation") {
      known[data.marker] ??= citations.address(data); // of a summary's documents, the first one
      citations.link(turn, known);
    } else if (event.name === "done") {
      turn.dataset.turn = data.id;
      settle.resolve(data);
      return false;
    } else if (event.name === "error") {
      if (data.answer_id) turn.dataset.turn = data.answer_id;
      settle.reject(new ApiError(data.detail, data));
      return false;
    }
    return true;
  }

  /** The answer has an id: if the reader has stopped it before, it is stopped now. */
  function named(answerId) {
    const wasNamed = Boolean(id);
    id ||= answerId;
    if (isStopped && !wasNamed) cancel();
  }

  function cancel() {
    if (id) post(`/api/v1/answers/${id}/cancel`).catch(settle.reject);
  }

  /** A button for a reader who does not want to wait for the model's first word. */
  function offerQuote() {
    if ($("[data-quote]", turn) || answer.children.length) return;
    state.after(h("button", {
      class: "button quote-instead", type: "button", "data-quote": "", title: t("Stop waiting for the model, and quote the documents"),
      onclick: (event) => {
        event.currentTarget.remove();
        if (matchMedia("(pointer: fine)").matches) $("[data-question]").focus({ preventScroll: true });
        grown.isQuoteWanted = true;
        grown.stop();
      },
    }, t("Quote instead")));
  }

  /** The first word is there: the text comes before the passages. */
  function begun() {
    $("[data-quote]", turn)?.remove();
    const first = $(".found-first", turn);
    if (!answer.children.length && first && !first.contains(document.activeElement)) first.open = false;
  }

  const end = whileVisible(async (signal) => {
    try {
      await follow(address, handle, {
        method, body, signal, lastId,
        headers: asking ? { "Idempotency-Key": asking.key } : {},
        again: (response) => {
          const next = response.headers.get("Location");
          if (next) [address, method, body] = [next, "GET", undefined];
          if (next) named(next.split("/")[4]); // the first event may take its time
          return next;
        },
        lost: (isLost) => { if (isLost && !isStopped) state.textContent = t("The connection broke. Waiting for the server …"); },
      });
    } catch (error) {
      settle.reject(error);
    }
  });
  finished.finally(end).catch(() => {});

  const grown = {
    finished,
    isQuoteWanted: false,
    stop: () => {
      isStopped = true;
      $("[data-quote]", turn)?.remove();
      state.textContent = t("Stopping …");
      cancel();
    },
  };
  return grown;
}

/** Show the best passages, which are known before the first word. */
function found(turn, passages, citations) {
  $(".found-first", turn)?.remove();
  if (!passages.length) return;
  const cards = passages.slice(0, SHOWN).map((one) => {
    const headings = one.breadcrumb.filter((heading) => heading !== one.title).join(" › ");
    return h("li", { class: "found-card" }, h("a", { class: "source-open", href: citations.address(one), "data-open": "" },
      h("span", { class: "source-title" }, one.title || one.uri),
      headings && h("span", { class: "soft small cut" }, headings),
      h("span", { class: "small soft" }, [one.source, one.place?.label].filter(Boolean).join(", "))));
  });
  $(".answer", turn).append(h("details", { class: "sources found-first", open: true },
    h("summary", { class: "small soft" }, t("%(passages)s found", { passages: counted(passages.length, "passage") })),
    h("ol", { role: "list", class: "source-cards" }, ...cards)));
}

/** Put a block of the answer in its place; an empty one was replaced by a shorter text. */
function show(answer, { index, html }) {
  let block = answer.querySelector(`:scope > [data-block="${index}"]`);
  if (!block) {
    block = h("div", { "data-block": index });
    answer.append(block);
  }
  block.replaceChildren(fragment(html));
  if (!html) block.remove();
}
