// Streams in columns: the insights of each quarter or round, and what the streams replied to each other.

import { LoomElement, make, text } from "./dom.js";

const MOST_PARTS = 60;
const QUARTERS = 4;
const VERBS = { agree: "agrees with", disagree: "disagrees with", builds_on: "builds on" };

/** Draws `{names, quarters, rounds}`: the saved quarters of a run, each the words of one stream. */
class Streams extends LoomElement {
  drawn({ names, quarters, rounds }) {
    const numbers = [...new Set(quarters.map(({ quarter }) => quarter))].sort((a, b) => a - b);
    const last = numbers.at(-1);
    return numbers.flatMap((number) => {
      const heard = quarters.filter(({ quarter }) => quarter === number);
      const before = rounds ? `after round ${number - 1}` : `at ${Math.floor(100 * (number - 1) / QUARTERS)} %`;
      return [
        number === 1 ? null : this.#crossed(before, heard.flatMap(({ reactions }) => reactions ?? [])),
        make("h3", { class: "studio-quarter" }, `${rounds ? "Round" : "Quarter"} ${number}`),
        make("div", { class: "studio-streams" }, names.map((name) => this.#column(name, heard.find(({ stream }) => stream === name), number === last))),
      ].filter(Boolean);
    });
  }

  #column(name, heard, last) {
    const column = (...parts) => make("section", { class: `studio-stream ${name}` }, make("h4", {}, name), ...parts);
    if (!heard) return column(make("p", { class: "studio-quiet" }, "It did not come to this."));
    if (heard.fault) return column(text("p", `It failed: ${heard.fault.message ?? ""}`, "studio-away"));
    const weight = ({ importance, confidence }) => ` (${importance.toFixed(2)} important, ${confidence.toFixed(2)} sure)`;
    return column(
      make("ul", { class: "studio-list" }, heard.insights.slice(0, MOST_PARTS).map((each) =>
        make("li", {}, text("span", each.content), make("span", { class: "studio-quiet studio-small" }, weight(each))))),
      last && heard.conclusion ? text("p", heard.conclusion, "studio-conclusion") : null);
  }

  #crossed(before, reactions) {
    const more = reactions.length - MOST_PARTS;
    const lines = reactions.slice(0, MOST_PARTS).map(({ by, to, stance, quote, why }) => make("li", {},
      make("strong", {}, `${by} ${VERBS[stance] ?? `${stance}s`} ${to}`), text("span", `: ${[quote && `“${quote}”`, why].filter(Boolean).join(" ")}`)));
    return make("section", { class: "studio-crossed" }, make("h3", {}, `What crossed ${before}`),
      lines.length ? make("ul", { class: "studio-list" }, lines) : make("p", { class: "studio-quiet" }, "Nobody answered what the others had said."),
      more > 0 ? make("p", { class: "studio-quiet" }, `${more} more are left out.`) : null);
  }
}

customElements.define("loom-streams", Streams);
