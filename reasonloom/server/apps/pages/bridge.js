// JSON-RPC with the host over postMessage, as MCP Apps (SEP-1865) has it.

const REVISION = "2026-01-26";
const PATIENCE = { "ui/initialize": 10_000, other: 60_000 };
const METHOD_NOT_FOUND = -32601;

export class HostError extends Error {}

/** The connection of this page with its host. Only the frame above is heard, and once it has answered only its origin. */
export class Bridge {
  #waiting = new Map();
  #last = 0;
  #origin = null;
  #handlers;

  /** `handlers` maps methods of the host's notifications to functions of their parameters. */
  constructor(handlers) {
    this.#handlers = handlers;
    this.capabilities = {};
    window.addEventListener("message", (event) => this.#hear(event));
  }

  /** Shake hands; return the host's context. */
  async open(name, version) {
    const params = {
      protocolVersion: REVISION,
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    };
    const result = await this.request("ui/initialize", params);
    this.capabilities = isObject(result.hostCapabilities) ? result.hostCapabilities : {};
    this.notify("ui/notifications/initialized", {});
    return isObject(result.hostContext) ? result.hostContext : {};
  }

  /** Send a request; return its result, or throw a HostError that says what went wrong. */
  request(method, params) {
    const id = ++this.#last;
    const limit = PATIENCE[method] ?? PATIENCE.other;
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(id);
        reject(new HostError(`The host did not answer within ${limit / 1000} s.`));
      };
      this.#waiting.set(id, { resolve, reject, timer: setTimeout(late, limit), method });
      this.#send({ id, method, params });
    });
  }

  notify(method, params) { this.#send({ method, params }); }

  /** Call a tool of our server through the host; return its structured content. */
  async call(name, given) {
    if (!this.capabilities.serverTools) throw new HostError("This host passes no calls of pages on to the server.");
    return valuesOf(await this.request("tools/call", { name, arguments: given }));
  }

  #send(message) {
    const known = this.#origin !== null && this.#origin !== "null";
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, known ? this.#origin : "*");
  }

  #hear({ source, origin, data }) {
    const foreign = source !== window.parent || (this.#origin !== null && origin !== this.#origin);
    if (foreign || !isObject(data) || data.jsonrpc !== "2.0") return;
    if (typeof data.method === "string") this.#serve(data);
    else this.#settle(data, origin);
  }

  #settle({ id, result, error }, origin) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (waiting.method === "ui/initialize") this.#origin = origin;
    if (isObject(result)) waiting.resolve(result);
    else waiting.reject(new HostError(isObject(error) && typeof error.message === "string" ? error.message : "The host's answer has no result."));
  }

  #serve({ id, method, params }) {
    const known = this.#handlers[method];
    if (id === undefined) { if (this.#origin !== null) known?.(isObject(params) ? params : {}); return; }
    if (method === "ping" || method === "ui/resource-teardown") this.#send({ id, result: {} });
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
  }
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Return a tool result's structured content; throw a HostError with its text for a failed or malformed one. */
export function valuesOf(result) {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const words = blocks.filter((block) => isObject(block) && typeof block.text === "string").map((block) => block.text).join("\n");
  const values = result.structuredContent;
  if (result.isError || (isObject(values) && values.success === false)) throw new HostError(failureOf(values, words));
  if (!isObject(values)) throw new HostError(words || "The result holds no data to draw.");
  return values;
}

function failureOf(values, words) {
  const known = isObject(values) ? [values.error, values.detail].filter((each) => typeof each === "string") : [];
  return known.join(": ") || words || "The tool failed, and did not say why.";
}
