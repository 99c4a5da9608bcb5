// Parts of pages: facts, prose, lists, folded texts.

import { make, text } from "../drawing/dom.js";

/** Draw names and values; a value that is absent is left out. */
export function facts(values) {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return make("dl", { class: "studio-facts" }, known.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", { dir: "auto" }, value))));
}

export const prose = (value) => text("div", value, "studio-prose");

export const quiet = (words) => make("p", { class: "studio-quiet" }, words);

/** Draw a heading with parts below it. */
export const section = (title, ...parts) => make("section", { class: "studio-card" }, make("h2", {}, title), ...parts);

export const list = (items) => make("ul", { class: "studio-list" }, items.map((item) => make("li", { dir: "auto" }, item)));

/** Draw a frame of text that keys can scroll. */
export const code = (value, label) => make("pre", { class: "studio-code", tabindex: 0, role: "region", "aria-label": label, dir: "auto" }, value);

export const fold = (title, ...parts) => make("details", { class: "studio-fold" }, make("summary", {}, title), ...parts);

export const decimals = (value) => typeof value === "number" ? value.toFixed(2) : value;
