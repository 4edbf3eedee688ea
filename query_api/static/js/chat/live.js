/**
 * What happens to the conversation elsewhere: answers become stale, other pages ask.
 *
 * Belongs here: following the conversation's events, and showing them. Not here: the answer that grows on this page
 * (`growing`). Guarantee: a turn of another page is added only where it continues what is shown; nothing is added while
 * this page waits for an answer of its own.
 */

import { announce } from "../announce.js";
import { $, $$, fragment } from "../dom.js";
import { follow, whileVisible } from "../sse.js";
import { t } from "../words.js";

export class Live {
  #list;
  #chat;
  #turns;
  #grow;
  #states = [];
  #hasBegun = false;
  #isLooking = false;

  /** `grow` follows the answer of a turn that is not complete. */
  constructor(list, chat, turns, grow) {
    [this.#list, this.#chat, this.#turns, this.#grow] = [list, chat, turns, grow];
  }

  /** Follow the conversation, as soon as there is one. */
  begin() {
    if (this.#hasBegun || !this.#chat.conversation) return;
    this.#hasBegun = true;
    whileVisible((signal) => follow(this.#chat.path(`chat/${this.#chat.conversation}/events`), (event) => {
      if (event.name !== "turns") return;
      this.#states = JSON.parse(event.data);
      this.look();
    }, { signal }).catch(() => {}));
  }

  /** Bring the page up to date with the last event. */
  async look() {
    if (this.#isLooking || this.#chat.growing) return;
    this.#isLooking = true;
    try {
      for (const state of this.#states) await this.#show(state);
    } catch {
      // a turn that cannot be loaded now is loaded with the next event
    } finally {
      this.#isLooking = false;
    }
  }

  async #show(state) {
    const turn = $(`[data-turn="${state.id}"]`, this.#list);
    if (turn) return markStale(turn, state.stale);
    const last = this.#list.lastElementChild?.dataset.turn ?? "";
    if (this.#chat.growing || state.parent !== last) return undefined;
    const added = await this.#turns.load(state.id);
    if (!added || this.#chat.growing || (this.#list.lastElementChild?.dataset.turn ?? "") !== last) return undefined;
    this.#list.append(added);
    $("[data-begin]").hidden = true;
    this.#turns.prepare(added);
    announce(t("A question was asked on another page"));
    if (added.dataset.state === "generating") this.#grow(added);
    return undefined;
  }
}

/** Say that an answer no longer holds, in the server's words, or no more. */
function markStale(turn, html) {
  const place = $("[data-stale]", turn);
  if (!place || place.dataset.html === html || (!html && !place.children.length)) return;
  const isNew = html && !place.children.length;
  place.dataset.html = html;
  place.replaceChildren(fragment(html));
  for (const button of $$("[data-act]", place)) button.hidden = false;
  if (isNew) announce($("p", place).firstChild.textContent.trim());
}
