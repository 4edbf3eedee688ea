/**
 * Small helpers for pages.
 *
 * Belongs here: making and finding elements, numbers and times for people. Not here: requests. Guarantee: text stays
 * text: nothing here parses a value as HTML, except `fragment`, which takes HTML that our server rendered.
 */

import { language, t } from "./words.js";

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/**
 * Make an element.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] `onclick` and the like are listeners; true is an empty attribute,
 *   false, null and undefined are none
 * @param {...(Node | string | number | null | false | undefined)} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(
    (child) => (child instanceof Node ? child : String(child)),
  ));
  return element;
}

/** The nodes of HTML that our server rendered; never of anything else. */
export function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/** Replace an element by a newer one, unless they are equal; the focus goes to the same control of the newer one. */
export function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  old.replaceWith(fresh);
  if (active) focusSame(active, fresh);
}

/** Focus the control that does what another one did, or else the first one. */
export function focusSame(control, root) {
  const key = control.value || control.dataset.do || control.getAttribute("href");
  const controls = $$("button, a", root);
  (controls.find((other) => [other.value, other.dataset.do, other.getAttribute("href")].includes(key)) ?? controls[0])?.focus();
}

/** The values that the server wrote for a script, as JSON in an element's attribute `data-…`. */
export const dataOf = (element, name) => JSON.parse(element.dataset[name]);

export const number = (value) => value.toLocaleString(language);

/** `1 file`, `3 files`. */
export const counted = (count, noun, plural = `${noun}s`) => `${number(count)} ${t(count === 1 ? noun : plural)}`;

/** A number of bytes for people, as the server writes it. */
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value.toLocaleString(language, { minimumFractionDigits: unit && value < 10 ? 1 : 0, maximumFractionDigits: unit && value < 10 ? 1 : 0 })} ${units[unit]}`;
}

/** How long ago a time was, as the server writes it. */
export function ago(time, now = Date.now()) {
  const seconds = Math.trunc((now - new Date(time).getTime()) / 1000);
  for (const [length, unit] of [[86400, "day"], [3600, "hour"], [60, "minute"]]) {
    if (Math.abs(seconds) >= length) {
      return new Intl.RelativeTimeFormat(language).format(-Math.trunc(seconds / length), unit);
    }
  }
  return seconds >= 0 ? t("just now") : t("in a moment");
}
