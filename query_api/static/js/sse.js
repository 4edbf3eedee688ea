/**
 * Server-sent events by fetch, so that a stream can be the response to a POST and can be stopped.
 *
 * Belongs here: the format, reconnecting, and closing streams of hidden pages. Not here: what events mean. Guarantee:
 * events arrive whole and in order, wherever the network cuts them, even within a character; after a reconnection the
 * server knows the last event that was seen.
 */

import { ApiError, send } from "./api.js";

const FIRST_WAIT = 1000; // milliseconds
const LONGEST_WAIT = 30000;

/** Puts events together from pieces of text. */
export class EventParser {
  #rest = "";
  #lastWasReturn = false;
  #isFirst = true;
  #name = "";
  #data = [];
  lastId = "";
  /** Milliseconds until a reconnection, if the server said so. */
  retry = null;

  /** Take a piece of the stream; returns the events that it completes: {name, data, id}. */
  push(text) {
    const events = [];
    let start = 0;
    if (this.#isFirst && text) {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) start = 1;
    }
    for (let at = start; at < text.length; at += 1) {
      const character = text[at];
      if (character !== "\n" && character !== "\r") {
        this.#lastWasReturn = false;
        continue;
      }
      if (character === "\n" && this.#lastWasReturn) {
        this.#lastWasReturn = false; // the second half of a line end that was cut in two
        start = at + 1;
        continue;
      }
      this.#lastWasReturn = character === "\r";
      this.#line(this.#rest + text.slice(start, at), events);
      this.#rest = "";
      start = at + 1;
    }
    this.#rest += text.slice(start);
    return events;
  }

  #line(line, events) {
    if (line === "") {
      if (this.#data.length) {
        events.push({ name: this.#name || "message", data: this.#data.join("\n"), id: this.lastId });
      }
      this.#name = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }
}

/** Yield the events of a response. The connection is closed when the caller stops. */
export async function* readEvents(response, parser = new EventParser()) {
  const reader = response.body.pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true })).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Follow a stream until the handler returns false, or the signal aborts.
 *
 * A stream that ends or breaks is opened again, with the id of the last event; the wait doubles up to half a minute.
 * If a POST opened it, give `again`, the address at which it goes on.
 *
 * @param {string} path
 * @param {(event: {name: string, data: string, id: string}, response: Response) => (boolean | void)} handle
 * @param {{method?: string, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal, lastId?: string,
 *   again?: (response: Response) => string | null, lost?: (isLost: boolean) => void}} [options] `lost` is told when the
 *   connection breaks, and when it is back
 * @throws {ApiError} the server refuses, so trying again is of no use
 */
export async function follow(path, handle, options = {}) {
  const { method = "GET", body, headers = {}, signal, again, lost = () => {} } = options;
  const parser = { lastId: options.lastId ?? "", retry: null };
  let [address, verb, sent, wait] = [path, method, body, FIRST_WAIT];
  while (!signal?.aborted) {
    try {
      const known = parser.lastId ? { "Last-Event-ID": parser.lastId } : {};
      const response = await send(verb, address, {
        body: sent, signal, headers: { Accept: "text/event-stream", ...headers, ...known },
      });
      const next = again?.(response);
      if (next) [address, verb, sent] = [next, "GET", undefined];
      lost(false);
      const fresh = new EventParser();
      fresh.lastId = parser.lastId;
      for await (const event of readEvents(response, fresh)) {
        [parser.lastId, wait] = [fresh.lastId, FIRST_WAIT];
        if (handle(event, response) === false) return;
      }
      parser.retry = fresh.retry ?? parser.retry;
    } catch (error) {
      if (signal?.aborted) return;
      const isFinal = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
      if (isFinal || verb !== "GET") throw error;
    }
    if (signal?.aborted) return;
    lost(true);
    await pause(Math.max(wait, parser.retry ?? 0), signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

/**
 * Run something, such as a stream, while the page is visible: it is aborted when the page is hidden, and started again
 * when it is shown, because a browser opens only six connections to a server. Returns a function that ends it.
 *
 * @param {(signal: AbortSignal) => Promise<unknown>} start
 */
export function whileVisible(start) {
  let running = null;
  const change = () => {
    if (document.hidden) {
      running?.abort();
      running = null;
    } else if (running === null) {
      running = new AbortController();
      start(running.signal);
    }
  };
  document.addEventListener("visibilitychange", change);
  change();
  return () => {
    document.removeEventListener("visibilitychange", change);
    running?.abort();
  };
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
