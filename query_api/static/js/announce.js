/**
 * Telling screen readers what happened.
 *
 * Belongs here: the page's one live region. Not here: what is said. Guarantee: the same words said twice are read twice.
 */

const GAP = 100; // milliseconds; a region that changes twice at once is read once

let waiting = null;

/** Say a sentence when the reader is free, such as "Answer complete, 4 sources". */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (!region) return;
  region.textContent = "";
  clearTimeout(waiting);
  waiting = setTimeout(() => { region.textContent = text; }, GAP);
}
