/**
 * Asking before something that cannot be undone.
 *
 * Belongs here: the one dialog that asks. Not here: what follows. Guarantee: Escape, the first button and a click
 * outside all mean no; afterwards the focus is where it was, also if what was there has been renewed meanwhile.
 */

import { focusSame, h } from "./dom.js";
import { t } from "./words.js";

/**
 * Ask; resolves to whether the answer is yes.
 *
 * @param {{title: string, text: string, yes: string, no?: string, isDangerous?: boolean}} question
 */
export function confirm({ title, text, yes, no = t("Cancel"), isDangerous = true }) {
  return new Promise((resolve) => {
    const opener = document.activeElement;
    const place = opener?.closest("[id]")?.id;
    const dialog = h(
      "dialog", { "aria-labelledby": "confirm-title", "aria-describedby": "confirm-text" },
      h("div", { class: "stack" },
        h("h2", { id: "confirm-title" }, title),
        h("p", { id: "confirm-text" }, text)),
      h("div", { class: "dialog-actions" },
        h("button", { class: "button", type: "button", autofocus: true, onclick: () => dialog.close("no") }, no),
        h("button", {
          class: `button primary${isDangerous ? " danger" : ""}`, type: "button", onclick: () => dialog.close("yes"),
        }, yes)),
    );
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close("no"); });
    dialog.addEventListener("close", () => {
      dialog.remove();
      const renewed = opener?.isConnected === false && place ? document.getElementById(place) : null;
      if (renewed) focusSame(opener, renewed);
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
