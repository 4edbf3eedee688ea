/**
 * The page of one source: its state, its documents and what was left out change while a sync runs.
 *
 * Guarantee: the page has the same parts without this script, as they were when it was loaded; its buttons are forms. A
 * part that changes keeps the reader's focus.
 */

import { announce } from "./announce.js";
import { encoded } from "./api.js";
import { $, $$, fragment, renew } from "./dom.js";
import { follow, whileVisible } from "./sse.js";

const GAP = 1000; // milliseconds between two looks at the documents

const { kb, source } = $("#source").dataset;
let state = $("#source .badge").dataset.state;
let timer = null;

/** Load the page again, and take the parts that have changed. */
async function refresh() {
  timer = null;
  try {
    const response = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
    if (!response.ok) return;
    const fresh = fragment(await response.text());
    for (const part of $$("#source [data-part]")) {
      const newer = $(`[data-part="${part.dataset.part}"]`, fresh);
      if (newer) renew(part, newer);
    }
  } catch {
    // the next event tries again
  }
}

function show(card) {
  if (card.slug !== source) return;
  const shown = fragment(card.html);
  renew($("#source [data-live]"), $("[data-live]", shown));
  renew($("#source [data-actions]"), $("[data-actions]", shown));
  if (card.state !== state) announce(`${source}: ${$("#source .badge").textContent}`);
  if (card.state !== state || card.is_active) timer ??= setTimeout(refresh, GAP);
  state = card.state;
}

function gone({ slug }) {
  if (slug !== source) return;
  clearTimeout(timer);
  location.assign(`/kb/${encoded(kb)}/sources`);
}

const EVENTS = { source: show, gone };

whileVisible((signal) => follow(`/kb/${encoded(kb)}/source-events`, (event) => {
  if (event.name === "done") return false;
  EVENTS[event.name]?.(JSON.parse(event.data));
  return true;
}, { signal }).catch(() => {})); // the page still works by hand
