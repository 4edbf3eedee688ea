/**
 * The chat page: asking, and what happens around it.
 *
 * Belongs here: wiring the page's parts together, asking, stopping, keys. Not here: an answer while it grows (`growing`),
 * citations (`citations`), what can be done with a turn (`turns`) or with a conversation (`conversations`). Guarantee:
 * without this script the page asks by its form; nothing that was written is lost when asking fails.
 */

import { announce } from "../announce.js";
import { ApiError, encoded } from "../api.js";
import { $, $$, counted, dataOf, h, number } from "../dom.js";
import { Citations } from "./citations.js";
import { Conversations } from "./conversations.js";
import { QUOTES, attach, newTurn } from "./growing.js";
import { Live } from "./live.js";
import { Scrolling } from "./scrolling.js";
import { chosenSettings, keepSettings } from "./settings.js";
import { Turns, textOf, tooLong } from "./turns.js";
import { t } from "../words.js";

const root = $("[data-chat]");
const form = $("[data-composer]");
const field = $("[data-question]");
const list = $("[data-turns]");
const said = $("[data-error]");
const NEAR_LIMIT = 0.9;

const chat = {
  ...dataOf(root, "chat"),
  /** The turn that grows, with its `stop`; null if none does. */
  growing: null,
  path: (part) => `/kb/${encoded(chat.kb)}/${part}`,
  ask,
};
const scrolling = new Scrolling($("[data-latest]"));
const citations = new Citations($("[data-pane]"), chat);
const conversations = new Conversations(chat);
const turns = new Turns(list, chat, citations);
const live = new Live(list, chat, turns, (turn) => follow(turn, null));

document.documentElement.classList.add("scripted");
for (const element of $$("[data-act][hidden], .chip[hidden]")) element.hidden = element.dataset.act === "unshare" && !isShared();
keepSettings(form, chat.kb);
for (const turn of $$(".turn", list)) {
  turns.prepare(turn);
  if (turn.dataset.state === "generating") follow(turn, null);
}
size();
live.begin();
if (list.children.length > 1 && isFirstLook()) list.lastElementChild.scrollIntoView();
if (chat.asks && field.value.trim()) {
  history.replaceState(null, "", location.pathname);
  ask(field.value.trim());
} else if (matchMedia("(pointer: fine)").matches) {
  field.focus({ preventScroll: true });
}

/**
 * Ask a question: it becomes the next turn, or another version of a turn.
 *
 * @param {string} question
 * @param {{parent?: string | null, before?: HTMLElement, settings?: object}} [place] `parent` is the turn that it follows,
 *   by default the last one shown; `before` is the turn whose place it takes, with all after it; `settings` are by default
 *   those of the form
 */
async function ask(question, { parent = lastTurn(), before = null, settings = chosenSettings(form) } = {}) {
  if (!question || chat.growing) return;
  say(tooLong(question, chat.limit));
  if (!said.hidden) return;
  const key = crypto.randomUUID();
  const kept = before ? null : field.value;
  try {
    if (chat.stores && !chat.conversation) await conversations.begin(key);
  } catch (error) {
    say(error.message);
    return;
  }
  live.begin();
  if (before) removeFrom(before);
  $("[data-begin]").hidden = true;
  const turn = newTurn(question, parent, settings.model ?? chat.model);
  list.append(turn);
  if (!before) { field.value = ""; size(); showLength(); }
  scrolling.follow(true, turn);
  const context = chat.stores
    ? { conversation: chat.conversation, parent }
    : { history: earlier(turn) };
  const body = { question, ...settings, ...context, stream: true, render: "html" };
  const isDone = await follow(turn, { path: `/api/v1/knowledge-bases/${encoded(chat.kb)}/answers`, body, key }, settings);
  if (!isDone && turn.dataset.turn === "") {
    turn.remove();
    if (kept !== null) { field.value = kept; size(); }
    $("[data-begin]").hidden = list.children.length > 0;
  }
  conversations.touch(question);
}

/** Follow a turn until its answer is complete, or a quote if that is wanted instead; returns whether there is an answer. */
async function follow(turn, asking, settings = chosenSettings(form)) {
  const grown = attach(turn, asking, chat, citations, () => scrolling.grew());
  const question = $(".question", turn).textContent;
  const shown = await followed(turn, grown);
  if (grown.isQuoteWanted && shown?.dataset.state === "cancelled") {
    await ask(question, { parent: shown.dataset.parent || null, before: shown, settings: { ...settings, model: QUOTES } });
  }
  return Boolean(shown);
}

/** Follow a turn until its answer is complete; returns the complete turn, null if there is no answer. */
async function followed(turn, grown) {
  chat.growing = grown;
  showGrowing(true);
  announce(t("Answering"));
  try {
    const answer = await grown.finished;
    const shown = await turns.complete(turn, answer);
    if (shown) scrolling.replaced(shown);
    announce(answer.readings.length ? answer.answer : answer.refused ? t("The documents do not answer this.") : t("Answer complete, %(sources)s", { sources: counted(answer.cited.length, "source") }));
    scrolling.grew();
    return shown;
  } catch (error) {
    if (!(error instanceof ApiError)) {
      say(t("The answer could not be shown. Reload the page."));
      throw error;
    }
    if (!turn.dataset.turn) say(error.message);
    else if (!await turns.complete(turn, null)) $("[data-said]", turn).textContent = error.message; // else it is an alert
    return null;
  } finally {
    chat.growing = null;
    showGrowing(false);
    live.look();
  }
}

function lastTurn() {
  return list.lastElementChild?.dataset.turn ?? null;
}

function removeFrom(turn) {
  while (turn.nextElementSibling) turn.nextElementSibling.remove();
  turn.remove();
}

/** The turns before one, for a knowledge base that stores none. */
function earlier(turn) {
  return $$(".turn", list).filter((each) => each !== turn).slice(-10).map((each) => ({
    question: $(".question", each).textContent, answer: textOf(each).slice(0, 20000),
  }));
}

function say(text) {
  said.textContent = text;
  said.hidden = !text;
}

function showGrowing(isGrowing) {
  $("[data-send]").hidden = isGrowing;
  $("[data-stop]").hidden = !isGrowing;
}

/** The field is as high as its text, where CSS alone cannot do that. */
function size() {
  if (CSS.supports("field-sizing", "content")) return;
  field.rows = Math.min(12, field.value.split("\n").length);
}

/** Say how long the question is once it comes near the limit. */
function showLength() {
  const [length, place] = [[...field.value.trim()].length, $("[data-length]")];
  place.hidden = length < chat.limit * NEAR_LIMIT;
  place.textContent = t("%(length)s of %(limit)s characters", { length: number(length), limit: number(chat.limit) });
  place.classList.toggle("error", length > chat.limit);
  if (length > chat.limit) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/** Whether the reader comes to the conversation as a whole: then the last turn is where it goes on. */
function isFirstLook() {
  return !location.hash && performance.getEntriesByType("navigation")[0]?.type === "navigate";
}

function isShared() {
  return Boolean($("[data-act=share]")?.dataset.shared);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = field.value.trim();
  if (question) ask(question);
});
field.addEventListener("input", () => { size(); showLength(); });
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  if (!chat.growing) form.requestSubmit();
});
$("[data-stop]").addEventListener("click", () => { chat.growing?.stop(); field.focus(); });

document.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-ask]");
  if (chip) {
    event.preventDefault();
    ask(chip.dataset.ask);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (citations.isOpen) citations.close();
    else chat.growing?.stop();
    return;
  }
  if (event.target.closest("input, textarea, select")) return;
  if (event.key === "[") citations.step(-1);
  else if (event.key === "]") citations.step(1);
  else if (event.key === "?") showKeys();
  else return;
  event.preventDefault();
});

function showKeys() {
  if ($("dialog[open]")) return;
  const keys = [["/", t("write a question")], ["Enter", t("send it")], ["Shift + Enter", t("begin a new line")], ["Esc", t("close the passage, or stop the answer")],
    ["[ ]", t("open the previous and the next citation")], ["Ctrl + K", t("go to a page, document or conversation")], ["?", t("show this list")]];
  const dialog = h("dialog", { "aria-labelledby": "keys-title" },
    h("div", { class: "stack" }, h("h2", { id: "keys-title" }, t("Keyboard shortcuts")),
      h("dl", { class: "keys" }, ...keys.map(([key, does]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, does))))),
    h("div", { class: "dialog-actions" }, h("button", { class: "button", type: "button", autofocus: true, onclick: () => dialog.close() }, t("Close"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
