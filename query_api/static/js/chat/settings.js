/**
 * The settings that count for the next question.
 *
 * Belongs here: reading them from the form, and keeping them while the reader is on the site. Not here: what they do.
 * Guarantee: a value that the page no longer offers is forgotten.
 */

import { $, $$ } from "../dom.js";
import { t } from "../words.js";

const LISTS = ["sources", "categories", "tags", "authors", "languages", "documents"];

/** The settings as the API takes them; those that are as in the knowledge base are left out. */
export function chosenSettings(form) {
  const data = new FormData(form);
  const filters = Object.fromEntries(LISTS.map((name) => [name, data.getAll(name)]).filter(([, values]) => values.length));
  const numbers = ["top_k", "temperature"].filter((name) => data.get(name)).map((name) => [name, Number(data.get(name))]);
  return {
    ...(data.get("model") ? { model: data.get("model") } : {}),
    ...(data.get("mode") && data.get("mode") !== "hybrid" ? { mode: data.get("mode") } : {}),
    ...Object.fromEntries(numbers),
    ...(Object.keys(filters).length ? { filters } : {}),
  };
}

/** Keep the settings for this browser tab, and say on the button how many are not as usual. */
export function keepSettings(form, kb) {
  const name = `headwater-settings-${kb}`;
  const fields = $$("[data-settings] [name]", form);
  const settings = $("[data-settings]", form);
  restore(fields, JSON.parse(sessionStorage.getItem(name) ?? "{}"));
  const changed = () => {
    const count = Object.keys(chosenSettings(form)).reduce((sum, key) => sum + (key === "filters" ? Object.keys(chosenSettings(form).filters).length : 1), 0);
    const sources = chosenSettings(form).filters?.sources ?? [];
    const said = sources.length && count === 1 ? t("Only %(sources)s", { sources: sources.join(", ") })
      : count ? t("Filters and options (%(count)s)", { count }) : t("Filters and options");
    $("[data-settings-said]", settings).textContent = said;
    const only = $("[data-only]", form);
    if (only) only.hidden = !$$("[name=documents]:checked", form).length;
    sessionStorage.setItem(name, JSON.stringify(chosenSettings(form)));
  };
  settings.addEventListener("change", changed);
  $("[data-act=reset]", settings).addEventListener("click", () => {
    restore(fields, {});
    for (const field of fields) if (field.name === "documents") field.checked = false;
    changed();
  });
  changed();
}

function restore(fields, kept) {
  for (const field of fields) {
    if (field.name === "documents") continue; // they come with the address, and count as long as it is open
    if (field.type === "checkbox") field.checked = (kept.filters?.[field.name] ?? []).includes(field.value);
    else if (field.tagName === "SELECT") {
      field.value = kept[field.name] ?? field.options[0].value;
      if (field.selectedIndex < 0) field.selectedIndex = 0;
    } else field.value = kept[field.name] ?? "";
  }
}
