/**
 * Elements that every page may use. They have no shadow root, so labels, focus and styles work as everywhere.
 *
 * Belongs here: `hw-*` elements of more than one page. Guarantee: without a script, each shows what the server wrote.
 */

import { ago } from "./dom.js";

const MINUTE = 60000; // milliseconds

/** `<hw-ago><time datetime="…">3 minutes ago</time></hw-ago>` stays up to date. */
class Ago extends HTMLElement {
  #timer = null;

  connectedCallback() {
    this.#timer = setInterval(() => this.#show(), MINUTE);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  #show() {
    const time = this.querySelector("time");
    if (time) time.textContent = ago(time.dateTime);
  }
}

customElements.define("hw-ago", Ago);
