/**
 * The palette: pages, knowledge bases, documents and conversations by a few letters.
 *
 * Belongs here: the dialog. Not here: what it offers (`query_api/pages/palette.py`), the key that opens it (`main`).
 * Guarantee: it is used with the keyboard alone; Escape closes it, and the focus is where it was.
 */

import { get, encoded } from "./api.js";
import { $, $$, h } from "./dom.js";
import { t } from "./words.js";

const PAUSE = 120; // milliseconds after the last key

/** Open the palette; `kb` is the knowledge base of the page, empty if there is none. */
export function openPalette(kb) {
  if ($("dialog[open]")) return;
  const list = h("ul", { id: "palette-list", role: "listbox", "aria-label": t("Found") });
  const field = h("input", {
    role: "combobox", "aria-label": t("Go to"), "aria-controls": "palette-list", "aria-expanded": "true", "aria-autocomplete": "list",
    placeholder: t("Page, knowledge base, document, conversation"), autocomplete: "off", spellcheck: "false",
  });
  const dialog = h("dialog", { class: "palette", "aria-label": t("Go to") }, field, list);
  let [timer, asked, chosen] = [null, 0, 0];

  const options = () => $$("[role=option]", list);
  function choose(number) {
    const all = options();
    if (!all.length) return;
    chosen = (number + all.length) % all.length;
    all.forEach((one, at) => one.setAttribute("aria-selected", String(at === chosen)));
    field.setAttribute("aria-activedescendant", all[chosen].id);
    all[chosen].scrollIntoView({ block: "nearest" });
  }
  async function look() {
    asked += 1;
    const mine = asked;
    const found = await get(`/palette?kb=${encoded(kb)}&query=${encoded(field.value.trim())}`).catch(() => ({ entries: [] }));
    if (mine !== asked) return;
    list.replaceChildren(...found.entries.map((one, at) => h("li", { id: `palette-${at}`, role: "option", "aria-selected": "false", "data-url": one.url },
      h("span", { class: "cut" }, one.name), h("span", { class: "small soft" }, one.kind))));
    if (!found.entries.length) list.replaceChildren(h("li", { class: "soft", role: "option", "aria-selected": "false", "aria-disabled": "true" }, t("Nothing found")));
    choose(0);
  }

  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, PAUSE); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && !event.isComposing) go(options()[chosen]);
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => go(event.target.closest("[role=option]")));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
  look();
}

function go(option) {
  if (option?.dataset.url) location.assign(option.dataset.url);
}
