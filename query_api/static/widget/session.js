/**
 * A visitor's session: the token, and the conversation of this tab.
 *
 * Belongs here: both, and sending requests with the token. Not here: what is shown. Guarantee: an expired token is
 * renewed once per request, and the visitor stays the same; without storage the conversation lasts as long as the page.
 */

import { ApiError, post, request } from "../js/api.js";
import { follow } from "../js/sse.js";

const MOST = 20; // turns that are kept
const EARLY = 60_000; // milliseconds before its end at which a token is renewed

export class Session {
  #id;
  #base;
  #name;
  #token = "";
  #ends = 0;
  turns = [];

  constructor(id, base) {
    [this.#id, this.#base, this.#name] = [id, base, `headwater:${id}`];
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.#name) ?? "{}");
      if (Array.isArray(kept.turns)) this.turns = kept.turns;
      if (typeof kept.token === "string") [this.#token, this.#ends] = [kept.token, kept.ends];
    } catch {
      // storage is switched off, or holds something else
    }
  }

  /** Keep the conversation for the next page of this tab. */
  keep() {
    const turns = this.turns.slice(-MOST);
    try {
      sessionStorage.setItem(this.#name, JSON.stringify({ token: this.#token, ends: this.#ends, turns }));
    } catch {
      // full, or switched off
    }
  }

  clear() {
    this.turns = [];
    this.keep();
  }

  search(query) {
    return this.#with((headers) => post(this.#url("search"), { query }, { headers }));
  }

  vote(id, vote, comment = "") {
    return this.#with((headers) => request("PUT", this.#url(`answers/${id}/feedback`), { body: { vote, comment }, headers }));
  }

  cancel(id) {
    return this.#with((headers) => post(this.#url(`answers/${id}/cancel`), {}, { headers }));
  }

  /** Ask, and hand each event on until it returns false. */
  ask(question, follows, handle, signal) {
    const again = (response) => {
      const path = response.headers.get("Location");
      return path && this.#base + path;
    };
    let begun = "";
    const noted = (event, response) => {
      begun = again(response) ?? begun;
      return handle(event);
    };
    const body = follows ? { question, follows } : { question };
    return this.#with((headers) =>
      begun ? follow(begun, noted, { headers, signal })
        : follow(this.#url("ask"), noted, { method: "POST", body, headers, signal, again }));
  }

  /** Follow an answer again from its beginning, such as after a change of page. */
  follow(id, handle, signal) {
    return this.#with((headers) => follow(this.#url(`answers/${id}/events`), handle, { headers, signal }));
  }

  #url(path) {
    return `${this.#base}/widget/v1/${path}`;
  }

  async #with(act) {
    if (Date.now() > this.#ends - EARLY) await this.#renew();
    try {
      return await act({ Authorization: `Bearer ${this.#token}` });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      await this.#renew();
      return act({ Authorization: `Bearer ${this.#token}` });
    }
  }

  async #renew() {
    const made = await post(this.#url("sessions"), { widget: this.#id, token: this.#token });
    [this.#token, this.#ends] = [made.token, Date.now() + made.expires_in * 1000];
    this.keep();
  }
}
