// What every page does: the handshake, the host's theme and size, what to say where there is nothing to draw.

import { make, visible } from "../drawing/dom.js";
import { Bridge, isObject, valuesOf } from "./bridge.js";

const THEIR_COLOURS = {
  "--color-background-primary": "--card", "--color-background-secondary": "--sunk", "--color-text-primary": "--ink",
  "--color-text-secondary": "--quiet", "--color-border-primary": "--line",
};
const NEEDED = ["--color-background-primary", "--color-text-primary"];
const FONTS = { "--font-sans": "--sans", "--font-mono": "--mono" };

/** One open page. `drawn` returns the nodes for a result's values and the call's arguments. */
export class Page {
  constructor(title, drawn) {
    this.drawn = drawn;
    this.given = {};
    this.changes = [];
    this.main = document.querySelector("main");
    this.status = document.querySelector("[role=status]");
    this.title = title;
    const { served, version } = JSON.parse(document.getElementById("served").textContent);
    this.served = new Set(served);
    this.version = version;
    this.bridge = new Bridge({
      "ui/notifications/tool-input": (params) => { this.given = isObject(params.arguments) ? params.arguments : {}; },
      "ui/notifications/tool-result": (params) => this.show(() => valuesOf(params)),
      "ui/notifications/tool-cancelled": (params) => this.empty("Cancelled", params.reason || "The call was cancelled before it had a result."),
      "ui/notifications/host-context-changed": (params) => adopt(params),
    });
  }

  async begin() {
    this.empty(this.title, "Waiting for the result…");
    try {
      adopt(await this.bridge.open(`reasonloom ${this.title.toLowerCase()}`, this.version));
      this.follow();
    } catch (error) {
      this.empty("No host", `${error.message} This page is drawn by a chat that knows MCP Apps.`);
    }
  }

  /** Draw what `read` returns, or the reason why it cannot be drawn. */
  show(read) {
    try {
      this.main.replaceChildren(make("h1", { class: "studio-title" }, this.title), ...this.drawn(read(), this.given));
    } catch (error) {
      this.empty(this.title, error instanceof TypeError ? "The result has a form that this page does not know." : error.message);
    }
  }

  empty(title, words) {
    this.main.replaceChildren(make("h1", { class: "studio-title" }, title), make("p", { class: "studio-quiet", dir: "auto" }, words));
  }

  can(tool) { return this.served.has(tool) && Boolean(this.bridge.capabilities.serverTools); }

  /** Call a tool with the call's own user; say what came of it. Return its values, or undefined if it failed. */
  async call(tool, given, success) {
    const user = this.given.userId === undefined ? {} : { userId: this.given.userId };
    this.say("Working…");
    try {
      const values = await this.bridge.call(tool, { ...user, ...given });
      this.say(success);
      return values;
    } catch (error) {
      this.say(error.message, true);
      return undefined;
    }
  }

  say(words, wrong = false) {
    this.status.textContent = visible(words);
    this.status.className = wrong ? "studio-note studio-away" : words ? "studio-note" : "";
  }

  /** Let the model know what the user changed; each update replaces the last, so all changes are in it. */
  note(change) {
    this.changes.push(change);
    if (!this.bridge.capabilities.updateModelContext) return;
    const content = [{ type: "text", text: `In the page of reasonloom the user changed: ${this.changes.join("; ")}.` }];
    this.bridge.request("ui/update-model-context", { content }).catch((error) => this.say(error.message, true));
  }

  follow() {
    let sent = "";
    const measure = () => {
      const { width, height } = document.documentElement.getBoundingClientRect();
      const size = { width: Math.ceil(width), height: Math.ceil(height) };
      if (sent !== JSON.stringify(size)) this.bridge.notify("ui/notifications/size-changed", size);
      sent = JSON.stringify(size);
    };
    new ResizeObserver(() => requestAnimationFrame(measure)).observe(document.documentElement);
  }
}

/** Take on the host's theme. Its colours are used only if it gives background and text: others would not fit. */
function adopt({ theme, styles }) {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const given = isObject(styles) && isObject(styles.variables) ? styles.variables : {};
  const plain = (name) => typeof given[name] === "string" && !/url\s*\(/i.test(given[name]);
  const wanted = NEEDED.every(plain) ? { ...THEIR_COLOURS, ...FONTS } : FONTS;
  for (const [theirs, ours] of Object.entries(wanted)) if (plain(theirs)) root.style.setProperty(ours, given[theirs]);
}
