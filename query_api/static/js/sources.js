/**
 * The sources page: its cards change while syncs run, and its buttons act without leaving the page.
 *
 * Belongs here: events, buttons, adding an address. Not here: uploading (upload.js). Guarantee: every part also works
 * without this script, by forms and links; a card that changes keeps the reader's focus and what is open in it.
 */

import { encoded, get, patch, post, remove } from "./api.js";
import { announce } from "./announce.js";
import { confirm } from "./dialogs.js";
import { $, $$, counted, fragment, h, renew } from "./dom.js";
import { follow, whileVisible } from "./sse.js";
import "./upload.js";
import { t } from "./words.js";

const TYPED = 350; // milliseconds without a key before an address is looked at

const page = $("#sources");
const kb = page.dataset.kb;
const api = `/api/v1/knowledge-bases/${encoded(kb)}`;
const list = $("#source-list");

/* Cards */

const cardOf = (slug) => document.getElementById(`source-${slug}`);

function show({ slug, state, is_active: isActive, html }) {
  const fresh = $("li", fragment(html)) ?? fragment(html).firstElementChild;
  const card = cardOf(slug);
  if (card === null) {
    insert(fresh);
    return;
  }
  const before = $(".badge", card).dataset.state;
  renew($("[data-live]", card), $("[data-live]", fresh));
  renew($("[data-actions]", card), $("[data-actions]", fresh));
  if (before !== state) announce(`${slug}: ${$(".badge", card).textContent}`);
  const rows = $("details", card);
  if (rows.open && (before !== state || isActive)) load(rows);
  document.dispatchEvent(new CustomEvent("hw:source", { detail: { slug, state, isActive } }));
}

function insert(card) {
  const next = $$("li[data-source]", list).find((other) => other.dataset.source > card.dataset.source);
  list.insertBefore(card, next ?? null);
  $("[data-none]").hidden = true;
  document.dispatchEvent(new CustomEvent("hw:source", { detail: { slug: card.dataset.source } }));
}

function drop({ slug }) {
  cardOf(slug)?.remove();
  $("[data-none]").hidden = $("li[data-source]", list) !== null;
}

function ready(isReady) {
  const begin = $("#begin");
  const wasReady = begin.dataset.isReady === "true";
  if (wasReady === isReady) return;
  begin.dataset.isReady = String(isReady);
  $("[data-when=ready]", begin).hidden = !isReady;
  $("[data-when=new]", begin).hidden = isReady;
  if (isReady) announce(t("The first document is ready. You can ask now."));
}

const EVENTS = { source: show, gone: drop, ready };

whileVisible((signal) => follow(`/kb/${encoded(kb)}/source-events`, (event) => {
  if (event.name === "done") return false;
  EVENTS[event.name]?.(JSON.parse(event.data));
  return true;
}, { signal }).catch(() => {})); // the page still works by hand

/* Rows of a source */

const loading = new WeakMap();

async function load(details) {
  if (loading.get(details)) return;
  loading.set(details, true);
  try {
    const response = await fetch(details.dataset.rows, { headers: { Accept: "text/html" } });
    if (response.ok) {
      const place = $("[data-rows-here]", details);
      if (!place.contains(document.activeElement)) place.replaceChildren(fragment(await response.text()));
    }
  } catch {
    // the link to the source's own page is still there
  } finally {
    setTimeout(() => loading.delete(details), 1000);
  }
}

document.addEventListener("toggle", (event) => {
  if (event.target.matches("details[data-rows]") && event.target.open) load(event.target);
}, true);

/* Buttons */

const ACTIONS = {
  sync: (slug) => post(`${api}/syncs`, { sources: [slug] }),
  reindex: (slug) => post(`${api}/syncs`, { sources: [slug], full: true }),
  pause: (slug) => patch(`${api}/sources/${encoded(slug)}`, { paused: true }),
  resume: (slug) => patch(`${api}/sources/${encoded(slug)}`, { paused: false }),
  cancel: (slug, form, button) => post(`/api/v1/syncs/${button.dataset.sync}/cancel`),
  "delete-file": (slug, form) => removeFile(slug, form.elements.namedItem("name").value),
};

/** Show what a button did without waiting for the next event. */
const refresh = async (slug) => show(await get(`/kb/${encoded(kb)}/sources/${encoded(slug)}/card`));

async function removeFile(slug, name) {
  const isSure = await confirm({
    title: t("Delete %(name)s?", { name }), text: t("The file is deleted now, and its document with the next sync."), yes: t("Delete the file"),
  });
  if (!isSure) return;
  await remove(`${api}/sources/${encoded(slug)}/files/${name.split("/").map(encoded).join("/")}?sync=true`);
  const details = $("details", cardOf(slug));
  if (details.open) setTimeout(() => load(details), 1000);
}

list.addEventListener("submit", async (event) => {
  const button = event.submitter;
  const action = button && ACTIONS[button.value];
  if (!action) return;
  event.preventDefault();
  const card = event.target.closest("[data-source]");
  const slug = card.dataset.source;
  await attempt(card, button, async () => {
    await action(slug, event.target, button);
    await refresh(slug);
  });
});

list.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-do=delete]");
  if (!link) return;
  event.preventDefault();
  const card = link.closest("[data-source]");
  const slug = card.dataset.source;
  const isSure = await confirm({
    title: t("Delete %(slug)s?", { slug }),
    text: t("This removes the source with its %(documents)s and everything that was made of them. It cannot be undone.",
      { documents: counted(Number(link.dataset.documents), "document") }),
    yes: t("Delete %(slug)s", { slug }),
  });
  if (isSure) {
    await attempt(card, link, async () => {
      tell(await remove(`${api}/sources/${encoded(slug)}`, { seconds: 600 }));
      drop({ slug });
    });
  }
});

async function attempt(card, control, run) {
  $("[data-problem]", card)?.remove();
  control.setAttribute("aria-disabled", "true");
  try {
    await run();
  } catch (error) {
    $("form", card).before(h("p", { class: "notice bad small", role: "alert", "data-problem": true }, error.message));
  } finally {
    control.removeAttribute("aria-disabled");
  }
}

/** Show the receipt of a deletion, as the server shows it after a reload. */
function tell({ id, key, removed, finished_at: finishedAt }) {
  $("#receipt")?.remove();
  const counts = { id, documents: counted(removed.documents ?? 0, "document"), chunks: counted(removed.chunks ?? 0, "chunk") };
  const receipt = h("section", { class: "notice good", id: "receipt", "aria-labelledby": "receipt-title", tabindex: "-1" },
    h("h2", { id: "receipt-title", class: "notice-title" }, t("%(name)s is deleted", { name: key })),
    h("p", {}, (finishedAt
      ? t("Receipt %(id)s: %(documents)s and %(chunks)s were removed.", counts)
      : t("Receipt %(id)s: %(documents)s and %(chunks)s were removed so far.", counts)), " ", h("a", { href: `/api/v1/deletions/${id}` }, t("Show the whole receipt"))));
  $("#begin").after(receipt);
  receipt.focus();
  announce(t("%(name)s is deleted", { name: key }));
}

/* Adding an address: only for those who may */

const adding = $("#add-address");
if (adding) watchAddress(adding);

function watchAddress(form) {
  const address = form.elements.namedItem("address");
  const says = $("#address-says");
  const hint = says.textContent;
  const kinds = $("[data-kinds]", form);
  let typing = null;
  let asked = 0;

  function say(text, isError = false) {
    says.textContent = text;
    says.className = `small ${isError ? "error" : "hint"}`;
    address.setAttribute("aria-invalid", String(isError));
  }

  function offer({ kind, words, others = [], problem }) {
    const select = $("select", kinds);
    kinds.hidden = !others.length;
    select.replaceChildren(...[kind, ...others].filter(Boolean).map((one) => h("option", { value: one }, one.replaceAll("_", " "))));
    say(problem ?? `It is ${words}. Kind: ${kind.replaceAll("_", " ")}.`, false);
  }

  address.addEventListener("input", () => {
    clearTimeout(typing);
    const text = address.value.trim();
    asked += 1;
    const mine = asked;
    if (!text) {
      kinds.hidden = true;
      say(hint);
      return;
    }
    typing = setTimeout(async () => {
      try {
        const found = await get(`/kb/${encoded(kb)}/guess?address=${encoded(text)}`);
        if (mine === asked) offer(found);
      } catch (error) {
        if (mine === asked) say(error.message, true);
      }
    }, TYPED);
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = $("button", form);
    const kind = kinds.hidden ? "" : form.elements.namedItem("kind").value;
    button.disabled = true;
    clearTimeout(typing);
    asked += 1;
    try {
      const made = await post(`${api}/sources`, { address: address.value, ...(kind ? { kind } : {}) });
      address.value = "";
      kinds.hidden = true;
      say(t("Added %(slug)s. First sync is starting.", { slug: made.slug }));
      announce(t("Added %(slug)s", { slug: made.slug }));
      await post(`${api}/syncs`, { sources: [made.slug] });
      await refresh(made.slug);
    } catch (error) {
      say(error.message, true);
      announce(error.message);
    } finally {
      button.disabled = false;
    }
  });
}
