/**
 * The bots' page: it says when a test message was posted.
 *
 * Guarantee: without this script, the page says so when it is loaded again.
 */

import { get } from "./api.js";
import { $ } from "./dom.js";

const LOOK = 700; // milliseconds between two looks
const PATIENCE = 30000; // milliseconds

const test = $("#test");

async function follow() {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) {
    await new Promise((resolve) => { setTimeout(resolve, LOOK); });
    if ((await get(test.dataset.event)).state !== "open") break;
  }
  if (Date.now() < end || !$("[data-idle]")) location.reload(); // the server knows the words
}

if (test?.dataset.state === "open") follow().catch(() => {});
