/**
 * Requests to Headwater's API.
 *
 * Belongs here: sending JSON, and turning problems (RFC 9457) into errors that people can read. Not here: streams
 * (sse.js). Guarantee: every failure is an ApiError with a sentence for people, except an abort, which stays an
 * AbortError.
 */

import { t } from "./words.js";

export class ApiError extends Error {
  /**
   * @param {string} message what happened and what to do
   * @param {{status?: number, code?: string, errors?: Array<object>, retryAfter?: number | null}} [more]
   */
  constructor(message, { status = 0, code = "", errors = [], retryAfter = null } = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

const UNREACHABLE = t("Headwater does not answer. Check that it is running and that you are connected, then try again.");
const TIMED_OUT = t("Headwater took too long to answer. Try again.");

/**
 * Send a request; returns the JSON of the response, or null if it has none.
 *
 * @param {string} method
 * @param {string} path an address on this server, such as /api/v1/knowledge-bases
 * @param {{body?: unknown, headers?: Record<string, string>, signal?: AbortSignal, seconds?: number}} [options]
 */
export async function request(method, path, { body, headers = {}, signal, seconds = 60 } = {}) {
  const response = await send(method, path, { body, headers, signal, seconds });
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/** Send a request; returns the response itself, such as one that streams. Raises ApiError for an error status. */
export async function send(method, path, { body, headers = {}, signal, seconds = 0 } = {}) {
  const limits = [signal, seconds > 0 ? AbortSignal.timeout(seconds * 1000) : null].filter(Boolean);
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { Accept: "application/json", ...type, ...headers },
      signal: limits.length ? AbortSignal.any(limits) : undefined,
      ...sent,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(error.name === "TimeoutError" ? TIMED_OUT : UNREACHABLE);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export const get = (path, options) => request("GET", path, options);
export const post = (path, body = {}, options = {}) => request("POST", path, { ...options, body });
export const patch = (path, body, options = {}) => request("PATCH", path, { ...options, body });
export const put = (path, body, options = {}) => request("PUT", path, { ...options, body });
export const remove = (path, options) => request("DELETE", path, options);

/** The error of a response with an error status. */
export async function problemOf(response) {
  return problemFrom(response.status, await response.text(), response.headers.get("Retry-After"));
}

/** The error for a status and a body, whoever received them. */
export function problemFrom(status, text, retryAfter = null) {
  let problem = {};
  try {
    problem = JSON.parse(text) ?? {};
  } catch {
    // a proxy in front sent something else
  }
  const { detail = t("The server answered with status %(status)s.", { status }), code = "", errors = [] } = problem;
  return new ApiError(detail, { status, code, errors, retryAfter: retryAfter === null ? null : Number(retryAfter) });
}

/** A part of an address, encoded; slashes of file names stay. */
export const encoded = (text) => encodeURIComponent(text);
export const encodedPath = (text) => text.split("/").map(encodeURIComponent).join("/");
