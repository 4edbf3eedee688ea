/**
 * The preview on the page of a widget.
 *
 * Belongs here: the widget as sites have it, with the settings of the form. Not here: the widget (static/widget).
 */

import { $, $$, h } from "./dom.js";

const SHOWN = ["label", "greeting", "placeholder", "accent"];
const form = $("#widget-form");
const preview = $("#preview");

/** Show the form's settings in the previews. */
function show() {
  for (const place of $$("[data-preview]", preview)) {
    const widget = $("headwater-widget", place);
    for (const name of SHOWN) widget?.setAttribute(name, form.elements[name].value);
    if (place.dataset.preview === "static") widget?.setAttribute("theme", form.elements.theme.value);
  }
}

if (preview) {
  for (const place of $$("[data-preview]", preview)) {
    const kind = place.dataset.preview;
    const own = kind === "static" ? { "data-position": "static" } : { "data-mode": "inline", "data-theme": kind };
    const script = h("script", {
      src: "/widget.js", "data-headwater-widget": preview.dataset.widget, "data-target": `[data-preview=${kind}]`, ...own,
    });
    script.addEventListener("load", show);
    document.head.append(script);
  }
  form.addEventListener("input", show);
}
