/**
 * The words of scripts in the reader's language.
 *
 * Belongs here: looking a text up in the translations that the server put into the page. Not here: the translations
 * (`query_api/locale`). Guarantee: a text without a translation is shown in English; values are put in as text.
 */

const WORDS = JSON.parse(document.querySelector('script[type="application/json"]#headwater-words')?.textContent || "{}");

/** The language of numbers and times; a site with a widget may name its own in a way that no browser knows. */
export const language = isKnown(document.documentElement.lang) ? document.documentElement.lang : "en";

function isKnown(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * A text in the reader's language.
 *
 * @param {string} text the English text, with places such as `%(name)s`
 * @param {Record<string, unknown>} [values] what stands there
 */
export function t(text, values = {}) {
  return (WORDS[text] ?? text).replace(/%\((\w+)\)s/g, (place, name) => (name in values ? String(values[name]) : place));
}
