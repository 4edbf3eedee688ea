/**
 * Following an answer while it grows.
 *
 * Belongs here: when the page scrolls by itself. Guarantee: an answer pushes its question up to the top of the window,
 * and no further, so that it is read from its beginning; the page never scrolls against the reader: any scroll upwards,
 * PageUp or selection stops it, and only the button, or the reader at the end, starts it again.
 */

const NEAR = 64; // pixels from the end that count as the end
const ABOVE = 16; // pixels above a question

export class Scrolling {
  #button;
  #isFollowing = false;
  #last = 0;
  /** The turn whose question stays in sight; null to follow the very end. */
  #turn = null;

  constructor(button) {
    this.#button = button;
    this.#last = scrollY;
    button.addEventListener("click", () => this.follow(true));
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    addEventListener("wheel", (event) => { if (event.deltaY < 0) this.#stop(); }, { passive: true });
    addEventListener("keydown", (event) => { if (["PageUp", "Home", "ArrowUp"].includes(event.key)) this.#stop(); });
    document.addEventListener("selectionchange", () => { if (!getSelection().isCollapsed) this.#stop(); });
  }

  /** Follow the end from now on; with a turn only as far as its question stays in sight. */
  follow(isFollowing, turn = null) {
    this.#turn = turn;
    this.#isFollowing = isFollowing;
    if (isFollowing) this.#toEnd();
    this.#show();
  }

  /** The turn that is followed has another element: it is complete. */
  replaced(turn) {
    if (this.#turn) this.#turn = turn;
  }

  /** The page has grown at its end. */
  grew() {
    if (this.#isFollowing) this.#toEnd();
    this.#show();
  }

  #toEnd() {
    const end = document.documentElement.scrollHeight - innerHeight;
    const top = this.#turn ? this.#turn.getBoundingClientRect().top + scrollY - ABOVE : end;
    scrollTo({ top: Math.min(end, top), behavior: "instant" });
    this.#last = scrollY;
  }

  #scrolled() {
    if (scrollY < this.#last - 2) this.#stop();
    else if (this.#isAtEnd()) this.#isFollowing = true;
    this.#last = scrollY;
    this.#show();
  }

  #stop() {
    this.#isFollowing = false;
  }

  #isAtEnd() {
    return document.documentElement.scrollHeight - innerHeight - scrollY < NEAR;
  }

  #show() {
    this.#button.hidden = (this.#isFollowing && !this.#turn) || this.#isAtEnd();
  }
}
