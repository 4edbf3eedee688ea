/**
 * What every page loads.
 *
 * Belongs here: shared elements, and keys that work everywhere. Not here: anything of one page.
 */

import { announce } from "./announce.js";
import "./elements.js";
import { t } from "./words.js";

const TYPING = "input, textarea, select, [contenteditable]";

/** `/` focuses the question, if the page has one. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target instanceof Element && event.target.closest(TYPING)) return;
  const question = document.querySelector("[data-question]");
  if (!question) return;
  event.preventDefault();
  question.focus();
});

/** Buttons with `data-copy` copy the text of the element that it selects. */
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent).then(
    () => announce(t("Copied")), () => announce(t("The browser does not allow copying here"))));
}

/** A picture that cannot be drawn leaves no hole. */
document.addEventListener("error", (event) => {
  if (event.target instanceof HTMLImageElement) event.target.closest(".page-picture")?.remove();
}, true);

/** A menu closes with a click outside, and with Escape, which then does nothing else; the focus goes to its button. */
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && !event.isComposing && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
  event.stopImmediatePropagation();
});

/** Ctrl+K or ⌘K opens the palette, which is loaded then. */
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  const [, part, slug] = location.pathname.split("/");
  import("./palette.js").then(({ openPalette }) => openPalette(part === "kb" ? decodeURIComponent(slug) : ""));
});

/** On a phone the tab of this page may be out of sight. */
const tab = document.querySelector(".tabs [aria-current]");
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;

/** The server writes days in the reader's time zone. */
document.cookie = `headwater_utc_offset=${-new Date().getTimezoneOffset()}; path=/; max-age=31536000; samesite=lax`;

/** The button for the theme: as the system has it, light, dark; the server writes what the cookie says into the page. */
const THEMES = ["auto", "light", "dark"];
const THEME_NAMES = { auto: t("auto"), light: t("light"), dark: t("dark") };
const themeButton = document.querySelector("[data-theme-switch]");
if (themeButton) {
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % THEMES.length];
    document.documentElement.dataset.theme = next;
    document.cookie = `headwater_theme=${next}; path=/; max-age=31536000; samesite=lax`;
    themeButton.querySelector("[data-theme-name]").textContent = THEME_NAMES[next];
    announce(`${t("Theme:")} ${THEME_NAMES[next]}`);
  });
}
