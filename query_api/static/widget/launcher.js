/**
 * The widget's button on a page of any site: <script async src="…/widget.js" data-headwater-widget="wdg_…"></script>
 *
 * Belongs here: reading the script tag, the element and its button. Not here: the panel, which is loaded when it is first
 * opened. Guarantee: the page's policy needs no more than `script-src` and `connect-src` for this server; on a page that
 * may not use the widget there is no button.
 */
(() => {
  const NAMES = ["label", "greeting", "placeholder", "theme", "accent"];
  const LOOK = `:host{all:initial;display:block;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
:host([hidden]){display:none}
.open{all:unset;box-sizing:border-box;position:fixed;inset-block-end:20px;inset-inline-end:auto;right:20px;z-index:2147483000;
display:inline-flex;align-items:center;gap:8px;min-block-size:48px;max-inline-size:calc(100vw - 40px);padding:8px 20px 8px 16px;
border-radius:24px;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer;
box-shadow:0 1px 3px rgb(0 0 0/20%),0 8px 24px rgb(0 0 0/18%)}
:host([position=bottom-left]) .open{right:auto;left:20px}
:host([position=static]) .open{position:static}
.open:hover{filter:brightness(1.1)}
.open:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.open svg{flex:none}
@media print{:host{display:none}}
@media (forced-colors:active){.open{border:2px solid}}
@media (prefers-reduced-motion:no-preference){.open{transition:filter .15s}}`;

  class HeadwaterWidget extends HTMLElement {
    static observedAttributes = NAMES;
    #settings = {};
    #panel = null;
    #button = null;
    #colours = new CSSStyleSheet();

    async connectedCallback() {
      if (this.shadowRoot) return;
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(LOOK);
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet, this.#colours];
      try {
        const response = await fetch(`${this.base}/widget/v1/widgets/${encodeURIComponent(this.id)}`);
        if (!response.ok) return;
        this.#settings = await response.json();
      } catch {
        return; // not for this page, or out of reach
      }
      if (this.getAttribute("mode") === "inline") {
        await this.open();
      } else {
        this.#button = document.createElement("button");
        this.#button.className = "open";
        this.#button.setAttribute("aria-haspopup", "dialog");
        this.#button.append(icon(), document.createElement("span"));
        this.#button.addEventListener("click", () => this.open());
        this.shadowRoot.append(this.#button);
      }
      this.attributeChangedCallback();
      this.dataset.ready = "";
    }

    attributeChangedCallback() {
      const shown = this.settings;
      const accent = /^#[0-9a-f]{6}$/i.test(shown.accent) ? shown.accent : "#0b6b72";
      this.#colours.replaceSync(`:host{--accent:${accent};--on-accent:${isLight(accent) ? "#000" : "#fff"}}`);
      if (this.#button) this.#button.lastChild.textContent = shown.label;
      this.#panel?.show(shown);
    }

    /** The server's settings; an attribute of the tag counts instead. */
    get settings() {
      const own = NAMES.filter((name) => this.hasAttribute(name)).map((name) => [name, this.getAttribute(name)]);
      return { ...this.#settings, ...Object.fromEntries(own) };
    }

    async open() {
      if (this.#panel === null) {
        const { Panel } = await import(`${this.base}/widget/v1/files/__VERSION__/widget/panel.js`);
        this.#panel ??= new Panel(this, this.base, this.settings);
      }
      this.#panel.open();
    }
  }

  function icon() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const drawn = { width: 22, height: 22, viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 2,
      "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" };
    for (const [name, value] of Object.entries(drawn)) svg.setAttribute(name, value);
    path.setAttribute("d", "M21 12a8 8 0 0 1-8 8H4l1.7-3.4A8 8 0 1 1 21 12ZM9 10h6M9 14h4");
    svg.append(path);
    return svg;
  }

  /** Whether black text reads better on a colour than white text: the better one always has a contrast of 4.5 (WCAG). */
  function isLight(colour) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const part = parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  }

  const tag = document.currentScript;
  if (!(tag instanceof HTMLScriptElement)) return; // an element of the page's texts may have taken the name
  const { headwaterWidget: id, target, mode, position, ...options } = tag.dataset;
  if (!customElements.get("headwater-widget")) customElements.define("headwater-widget", HeadwaterWidget);
  const element = document.createElement("headwater-widget");
  Object.assign(element, { id, base: new URL(tag.src).origin });
  for (const name of NAMES) if (name in options) element.setAttribute(name, options[name]);
  if (mode) element.setAttribute("mode", mode);
  if (position) element.setAttribute("position", position);
  const add = () => (target && document.querySelector(target) || document.body).append(element);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", add);
  else add();
})();
