/**
 * Following an answer while it grows.
 *
 * Belongs here: when the page scrolls by itself. Guarantee: it never scrolls against the reader: any scroll upwards,
 * PageUp or selection stops it, and only the button, or the reader at the end, starts it again.
 */

const NEAR = 64; // pixels from the end that count as the end

export class Scrolling {
  #button;
  #isFollowing = false;
  #last = 0;

  constructor(button) {
    this.#button = button;
    this.#last = scrollY;
    button.addEventListener("click", () => this.follow(true));
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    addEventListener("wheel", (event) => { if (event.deltaY < 0) this.#stop(); }, { passive: true });
    addEventListener("keydown", (event) => { if (["PageUp", "Home", "ArrowUp"].includes(event.key)) this.#stop(); });
    document.addEventListener("selectionchange", () => { if (!getSelection().isCollapsed) this.#stop(); });
  }

  /** Follow the end from now on. */
  follow(isFollowing) {
    this.#isFollowing = isFollowing;
    if (isFollowing) this.#toEnd();
    this.#show();
  }

  /** The page has grown at its end. */
  grew() {
    if (this.#isFollowing) this.#toEnd();
    this.#show();
  }

  #toEnd() {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
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
    this.#button.hidden = this.#isFollowing || this.#isAtEnd();
  }
}
