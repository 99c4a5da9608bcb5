// The parts of a memory's score, as a bar from 0 to 1 with the numbers below it.

import { LoomElement, SERIES, make } from "./dom.js";

const WITH_QUESTION = { similarity: 0.6, salience: 0.2, recency: 0.1, link: 0.1 };
const WITHOUT = { salience: 0.4, recency: 0.3, link: 0.3 };
const COLOURS = {
  cosine: SERIES[0], words: SERIES[1], context: SERIES[2], tag: SERIES[3], date: SERIES[4], session: SERIES[5],
  salience: "#c06c9a", recency: "#b7a66a", link: SERIES[6],
};
const LEAST = 0.0005;

/** Return each signal's contribution to the score of an explained memory; they add up to it. */
export function sharesOf({ salience, recency, linkWeight, similarity, signals = {} }) {
  const asked = typeof similarity === "number";
  const weights = asked ? WITH_QUESTION : WITHOUT;
  const plain = { salience: weights.salience * salience, recency: weights.recency * recency, link: weights.link * linkWeight };
  if (!asked) return plain;
  const brought = weights.similarity * similarity;
  const whole = Object.values(signals).reduce((sum, each) => sum + each, 0);
  if (whole <= 0) return { similarity: brought, ...plain };
  const parts = Object.entries(signals).map(([name, each]) => [name, brought * each / whole]);
  return { ...Object.fromEntries(parts), ...plain };
}

class Shares extends LoomElement {
  drawn(explained) {
    const parts = Object.entries(sharesOf(explained)).filter(([, share]) => Math.abs(share) >= LEAST);
    const label = parts.map(([name, share]) => `${name} ${share.toFixed(3)}`).join(", ");
    const colour = (name) => COLOURS[name] ?? SERIES[4];
    const bar = parts.filter(([, share]) => share > 0).map(([name, share]) =>
      make("span", { style: { width: `${Math.min(1, share) * 100}%`, background: colour(name) } }));
    const legend = parts.map(([name, share]) => make("li", {},
      make("i", { "aria-hidden": "true", style: { background: colour(name) } }), make("span", {}, `${name} ${share.toFixed(3)}`)));
    return [
      make("div", { class: "studio-shares", role: "img", "aria-label": `The score is made of ${label}` }, bar),
      make("ul", { class: "studio-legend" }, legend),
    ];
  }
}

customElements.define("loom-shares", Shares);
