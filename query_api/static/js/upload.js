/**
 * Uploading files: drop them or choose them; each has a row that says how far it is.
 *
 * Belongs here: `hw-upload`. Not here: the cards of sources (sources.js). Guarantee: three files are sent at a time; a
 * file that fails says why and can be sent again; nobody leaves the page by accident while files are being sent.
 */

import { encoded, encodedPath, get, post, problemFrom } from "./api.js";
import { announce } from "./announce.js";
import { $, counted, h, size } from "./dom.js";
import { t } from "./words.js";

const AT_ONCE = 3;
const MOST_PAGES = 20; // of the list of files, when rows are brought up to date
const NEW_SOURCE = "uploads";
const LOST = t("The connection broke before the file had arrived. Try again.");
const LABELS = {
  waiting: t("Waiting"), sending: t("Sending"), queued: t("Queued"), parsing: t("Parsing"), ready: t("Ready"), failed: t("Failed"),
};
const SERVER = { waiting: "queued", syncing: "parsing", ready: "ready", failed: "failed" };
const LOOKS = { waiting: "waiting", sending: "syncing", queued: "queued", parsing: "syncing", ready: "ready", failed: "failed" };

/** One file of this visit. */
class Row {
  constructor(file, name, again) {
    this.file = file;
    this.name = name;
    this.state = "waiting";
    this.badge = h("span", { class: "badge" });
    this.reason = h("span", { class: "small row-error", hidden: true });
    this.bar = h("progress", { max: "100", value: "0", "aria-label": t("Sending %(name)s", { name }), hidden: true });
    this.again = h("button", { class: "button quiet", type: "button", hidden: true, onclick: () => again(this) },
      t("Try again"), h("span", { class: "visually-hidden" }, ` ${name}`));
    this.element = h("li", { class: "row", "data-name": name },
      h("div", { class: "row-name" }, h("span", { class: "row-uri" }, name), this.reason),
      h("span", { class: "small soft row-size" }, size(file.size)), this.badge, this.again, this.bar);
    this.set("waiting");
  }

  get isOpen() {
    return this.state === "queued" || this.state === "parsing";
  }

  set(state, { reason = "", percent = 0, canRetry = false } = {}) {
    this.state = state;
    this.element.dataset.state = state;
    this.badge.dataset.state = LOOKS[state];
    this.badge.textContent = state === "sending" ? `${percent} % sent` : LABELS[state];
    this.bar.hidden = state !== "sending";
    this.bar.value = percent;
    this.reason.textContent = reason;
    this.reason.hidden = !reason;
    this.again.hidden = !canRetry;
  }
}

class Upload extends HTMLElement {
  #rows = [];
  #sending = 0;
  #target = null;
  #isLooking = false;
  #looksAgain = false;

  connectedCallback() {
    this.limit = Number(this.dataset.limit) * 1e6;
    this.api = `/api/v1/knowledge-bases/${encoded(this.dataset.kb)}`;
    const input = $("input[type=file]", this);
    input.addEventListener("change", () => {
      this.#add([...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
      input.value = "";
    });
    this.addEventListener("dragover", (event) => { event.preventDefault(); this.classList.add("is-over"); });
    this.addEventListener("dragleave", (event) => {
      if (!this.contains(event.relatedTarget)) this.classList.remove("is-over");
    });
    this.addEventListener("drop", async (event) => {
      event.preventDefault();
      this.classList.remove("is-over");
      this.#add(await dropped(event.dataTransfer));
    });
    $("[data-clear]", this).addEventListener("click", () => this.#clear());
    $("select", this)?.addEventListener("change", () => { this.#target = null; });
    document.addEventListener("hw:source", (event) => {
      if (event.detail.slug === this.#sentTo) this.#look();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.#rows.some((row) => row.state === "waiting" || row.state === "sending")) event.preventDefault();
    });
  }

  #sentTo = "";

  #add(found) {
    if (!found.length) return;
    for (const { file, name } of found) {
      const row = new Row(file, name, (one) => { one.set("waiting"); this.#next(); });
      this.#rows.push(row);
      $(".upload-list ul", this).append(row.element);
      if (file.size > this.limit) {
        row.set("failed", { reason: t("File is %(size)s; the limit is %(limit)s.", { size: size(file.size), limit: size(this.limit) }) });
      }
    }
    $(".upload-list", this).hidden = false;
    announce(`${counted(found.length, "file")} added.`);
    this.#tell();
    this.#next();
  }

  #next() {
    while (this.#sending < AT_ONCE) {
      const row = this.#rows.find((one) => one.state === "waiting");
      if (!row) break;
      this.#sending += 1;
      row.set("sending");
      this.#send(row).finally(() => {
        this.#sending -= 1;
        this.#tell();
        this.#next();
      });
    }
    this.#tell();
  }

  async #send(row) {
    try {
      const source = await this.#source();
      this.#sentTo = source;
      const address = `${this.api}/sources/${encoded(source)}/files/${encodedPath(row.name)}?sync=true`;
      await put(address, row.file, (percent) => row.set("sending", { percent }));
      row.set("queued");
      this.#look();
    } catch (error) {
      if (error.status === 429) {
        await new Promise((resolve) => { setTimeout(resolve, 1000 * (error.retryAfter || 2)); });
        row.set("waiting");
        return;
      }
      row.set("failed", { reason: error.message, canRetry: error.status === 0 || error.status >= 500 });
    }
  }

  /** The source that takes the files; it is made when the first file of the knowledge base comes. */
  #source() {
    this.#target ??= this.#find().catch((error) => { this.#target = null; throw error; });
    return this.#target;
  }

  async #find() {
    const chosen = $("select", this)?.value;
    if (chosen) return chosen;
    const { sources } = await get(`${this.api}/sources`);
    const found = sources.find(({ kind, state }) => kind === "files" && state !== "deleting");
    if (found) return found.slug;
    const taken = new Set(sources.map(({ slug }) => slug));
    const names = [NEW_SOURCE, ...Array.from({ length: 99 }, (_, at) => `${NEW_SOURCE}-${at + 2}`)];
    const slug = names.find((name) => !taken.has(name));
    await post(`${this.api}/sources`, { slug, kind: "files" });
    return slug;
  }

  /** Bring the rows of files that have arrived up to date; at most once at a time. */
  async #look() {
    if (this.#isLooking) {
      this.#looksAgain = true;
      return;
    }
    this.#isLooking = true;
    try {
      await this.#read();
    } catch {
      // the next change of the source leads here again
    }
    this.#isLooking = false;
    this.#tell();
    if (this.#looksAgain) {
      this.#looksAgain = false;
      setTimeout(() => this.#look(), 500);
    }
  }

  async #read() {
    let after = "";
    for (let page = 0; page < MOST_PAGES && this.#rows.some((row) => row.isOpen); page += 1) {
      const address = `${this.api}/sources/${encoded(this.#sentTo)}/files?limit=200&after=${encoded(after)}`;
      const { files, next } = await get(address);
      const states = new Map(files.map((file) => [file.name, file]));
      for (const row of this.#rows.filter((one) => one.isOpen)) {
        const file = states.get(row.name.normalize("NFC"));
        if (file) row.set(SERVER[file.state], { reason: file.error ?? "" });
      }
      if (!next) return;
      after = next;
    }
  }

  #tell() {
    const count = (...states) => this.#rows.filter((row) => states.includes(row.state)).length;
    const failed = count("failed");
    const ready = t("%(count)s ready", { count: count("ready") });
    const words = [`${counted(this.#rows.length, "file")}: ${ready}`, failed && t("%(count)s failed", { count: failed })];
    const text = words.filter(Boolean).join(", ");
    const totals = $("[data-totals]", this);
    const isOver = count("ready", "failed") === this.#rows.length;
    if (isOver && totals.textContent !== text) announce(text);
    totals.textContent = text;
    $("[data-clear]", this).hidden = !isOver;
  }

  #clear() {
    this.#rows = [];
    $(".upload-list ul", this).replaceChildren();
    $(".upload-list", this).hidden = true;
    $("input[type=file]", this).focus();
  }
}

/** Send a file as the body of a PUT; fetch cannot tell how much of a body was sent. */
function put(address, file, tell) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total) tell(Math.floor((100 * event.loaded) / event.total));
    });
    request.addEventListener("load", () => {
      if (request.status < 300) resolve();
      else reject(problemFrom(request.status, request.responseText, request.getResponseHeader("Retry-After")));
    });
    request.addEventListener("error", () => reject(Object.assign(new Error(LOST), { status: 0 })));
    request.send(file);
  });
}

/** The files of a drop, with those in folders; their names are their paths. */
async function dropped(transfer) {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.());
  if (entries.some((entry) => !entry)) return [...transfer.files].map((file) => ({ file, name: file.name }));
  return (await Promise.all(entries.map(inside))).flat();
}

async function inside(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    return [{ file, name: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) return (await Promise.all(found.map(inside))).flat();
    found.push(...some);
  }
}

customElements.define("hw-upload", Upload);
