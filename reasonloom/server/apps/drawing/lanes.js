// The steps of a session as buttons, next to their branches as lanes. All rows have the same height, so that one drawing aligns with them.

import { LoomElement, SERIES, draw, make, text } from "./dom.js";

const ROW = 68;
const LANE = 18;
const MAX_LANES = 12;
const ROUND = 14;
const laneX = (lane) => LANE * (Math.min(lane, MAX_LANES - 1) + 1) - LANE / 2 + 2;
const rowY = (row) => ROW * row + ROW / 2;
const laneColour = (lane) => SERIES[lane % SERIES.length];

/** Draws lanes and steps; a click on a step dispatches `choose` with its id. */
class Lanes extends LoomElement {
  drawn({ lanes, steps, chosen }) {
    const width = LANE * (Math.min(lanes, MAX_LANES) + 1);
    const height = ROW * steps.length;
    const picture = draw("svg", { class: "studio-lanes", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
      steps.map((step, row) => this.#line(step, row, steps)), steps.map((step, row) => this.#dot(step, row)));
    const list = make("ol", { class: "studio-outline", "aria-label": "Steps", style: { paddingLeft: `${width}px` } },
      steps.map((step) => make("li", {}, this.#step(step, step.id === chosen))));
    return [make("div", { class: "studio-graph" }, picture, list)];
  }

  #line({ lane, parent, beyond }, row, steps) {
    const [x, y] = [laneX(lane), rowY(row)];
    if (parent === null) return beyond ? this.#path(`M${x} 0V${y}`, lane, "3 4") : null;
    const [there, top] = [laneX(steps[parent].lane), rowY(parent)];
    const bend = `M${there} ${top}C${there} ${top + ROUND * 2} ${x} ${top + ROUND} ${x} ${top + ROUND * 3}V${y}`;
    return this.#path(there === x ? `M${x} ${top}V${y}` : bend, lane);
  }

  #path(way, lane, dashes) {
    return draw("path", { d: way, fill: "none", stroke: laneColour(lane), "stroke-width": 2.5, "stroke-dasharray": dashes });
  }

  #dot({ lane, head }, row) {
    const fill = head ? laneColour(lane) : "var(--card)";
    return draw("circle", { cx: laneX(lane), cy: rowY(row), r: 6, fill, stroke: laneColour(lane), "stroke-width": 2.5 });
  }

  #step(step, pressed) {
    const choose = (event) => {
      this.querySelector("[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
      event.currentTarget.setAttribute("aria-pressed", "true");
      this.dispatchEvent(new CustomEvent("choose", { detail: step.id }));
    };
    return make("button", { class: "studio-step", type: "button", "aria-pressed": String(pressed), onclick: choose },
      make("span", { class: "studio-where" }, step.position),
      make("span", { class: "studio-what" }, text("span", step.text, "studio-said"),
        make("span", { class: "studio-beside" }, step.marks.map(([words, tone]) => make("span", { class: `studio-mark ${tone}` }, words)),
          make("span", { class: "studio-sure" }, step.sure))));
  }
}

customElements.define("loom-lanes", Lanes);
