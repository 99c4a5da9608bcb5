// A Graph of Thoughts: nodes by depth, edges by kind, and a replay in the order in which the thoughts came.

import { LoomElement, draw, make } from "./dom.js";

const COLUMN = 190;
const LINE = 66;
const MARGIN = { x: 95, y: 30 };
const FADED = 0.32;
const PACE = 700;
const KINDS = {
  generates: { stroke: "#8a939d", "stroke-width": 1.5 },
  refines: { stroke: "#9a5ba5", "stroke-width": 1.5, "stroke-dasharray": "6 4" },
  aggregates: { stroke: "#3b6ea5", "stroke-width": 3 },
};
const OTHER = { stroke: "#8a939d", "stroke-width": 1.5, "stroke-dasharray": "2 4" };
const LEGEND = "Colour is the score: red below a third, green above two thirds, grey not scored. Squares are joined or concluding thoughts; "
  + "faded ones were pruned or beaten. Thick blue lines aggregate, dashed violet ones refine, thin ones generate.";
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const scoreColour = (score) => score === null ? "#8a939d" : score < 1 / 3 ? "#b8483f" : score < 2 / 3 ? "#d9a441" : "#2f8f5b";

/** Draws a graph; `choose` is dispatched with a node's id, `replay` with the number of nodes drawn. One Tab stop: arrows move within. */
class Graph extends LoomElement {
  drawn({ nodes, edges, visible = null, chosen = null }) {
    clearInterval(this.timer);
    this.places = this.#placed(nodes);
    this.nodes = nodes.map((node) => this.#node(node, node.id === chosen));
    this.order = new Map(nodes.map((node, at) => [node.id, at]));
    this.edges = edges.map((edge) => this.#edge(edge));
    (this.nodes.find((node) => node.getAttribute("aria-pressed") === "true") ?? this.nodes[0])?.setAttribute("tabindex", "0");
    const spots = [...this.places.values()];
    const [width, height] = [Math.max(...spots.map(({ x }) => x)) + MARGIN.x, Math.max(...spots.map(({ y }) => y)) + MARGIN.y + 20];
    const arrow = draw("marker", { id: "loom-arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" },
      draw("path", { d: "M0 0L8 4L0 8z", fill: "#8a939d" }));
    const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Graph of ${nodes.length} thoughts`,
      onkeydown: (event) => this.#move(event) }, draw("defs", {}, arrow), this.edges, this.nodes);
    const parts = [make("div", { class: "loom-canvas" }, picture), this.#replay(nodes.length), make("p", { class: "studio-quiet studio-small" }, LEGEND)];
    this.#show(visible ?? nodes.length);
    return parts;
  }

  disconnectedCallback() { clearInterval(this.timer); }

  #placed(nodes) {
    const widths = new Map();
    for (const { depth } of nodes) widths.set(depth, (widths.get(depth) ?? 0) + 1);
    const most = Math.max(...widths.values());
    const taken = new Map();
    return new Map(nodes.map(({ id, depth }) => {
      const place = taken.get(depth) ?? 0;
      taken.set(depth, place + 1);
      return [id, { x: MARGIN.x + depth * COLUMN, y: MARGIN.y + (place + (most - widths.get(depth)) / 2) * LINE }];
    }));
  }

  #node(node, pressed) {
    const { x, y } = this.places.get(node.id);
    const size = node.terminal ? 13 : 9;
    const look = { class: "loom-shape", fill: scoreColour(node.score) };
    const square = ["aggregation", "conclusion"].includes(node.type);
    const shape = square ? draw("rect", { x: -size, y: -size, width: 2 * size, height: 2 * size, rx: 3, ...look }) : draw("circle", { r: size, ...look });
    const score = node.score === null ? "not scored" : `score ${node.score.toFixed(2)}`;
    const label = `Thought ${node.number}: ${node.type}, ${score}${node.pruned ? ", pruned" : node.faded ? ", beaten" : ""}. ${node.label}`;
    const choose = () => this.#choose(node.id);
    return draw("g", { class: "loom-node", role: "button", tabindex: -1, transform: `translate(${x} ${y})`, "data-id": node.id, "data-square": String(square),
      "data-faded": String(node.faded), "aria-pressed": String(pressed), "aria-label": label, onclick: choose },
      draw("rect", { x: -70, y: -16, width: 140, height: size + 38, fill: "transparent" }),
      draw("g", { opacity: node.faded ? FADED : 1 }, shape), draw("text", { y: size + 16, "text-anchor": "middle", "aria-hidden": "true" }, `${node.number}. ${node.label}`));
  }

  #edge({ from, to, type, faded }) {
    const [a, b] = [this.places.get(from), this.places.get(to)];
    const bend = a.x === b.x ? 60 : (b.x - a.x) / 2;
    const end = a.x === b.x ? b.x + 14 : b.x - 16;
    const way = `M${a.x} ${a.y}C${a.x + bend} ${a.y} ${end + (a.x === b.x ? bend : -bend)} ${b.y} ${end} ${b.y}`;
    return draw("path", { d: way, fill: "none", "marker-end": "url(#loom-arrow)", opacity: faded ? FADED : 0.9, "data-from": from, "data-to": to, "data-type": type,
      ...(KINDS[type] ?? OTHER) });
  }

  #replay(total) {
    const slide = (event) => { this.#pause(); this.#show(Number(event.target.value), true); };
    this.slider = make("input", { type: "range", min: 1, max: total, step: 1, "aria-label": "Thoughts drawn, in the order in which they came", oninput: slide });
    this.counter = make("output", {});
    this.button = make("button", { class: "studio-button", type: "button", onclick: () => this.timer ? this.#pause() : this.#play(total) }, "Play");
    return make("div", { class: "studio-row" }, make("label", { class: "studio-replay" }, make("span", {}, "Replay"), this.slider), this.counter, this.button);
  }

  #play(total) {
    this.button.textContent = "Pause";
    if (Number(this.slider.value) >= total) this.#show(1, true);
    this.timer = setInterval(() => {
      const next = Number(this.slider.value) + 1;
      this.#show(next, true);
      if (next >= total) this.#pause();
    }, PACE);
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.button.textContent = "Play";
  }

  #show(visible, moved = false) {
    this.slider.value = visible;
    this.counter.textContent = `${visible} of ${this.nodes.length}`;
    this.nodes.forEach((node, at) => node.toggleAttribute("hidden", at >= visible));
    for (const edge of this.edges) edge.toggleAttribute("hidden", [edge.dataset.from, edge.dataset.to].some((id) => this.order.get(id) >= visible));
    if (moved) this.dispatchEvent(new CustomEvent("replay", { detail: visible }));
  }

  #choose(id) {
    for (const node of this.nodes) {
      node.setAttribute("aria-pressed", String(node.dataset.id === id));
      node.setAttribute("tabindex", node.dataset.id === id ? "0" : "-1");
    }
    this.dispatchEvent(new CustomEvent("choose", { detail: id }));
  }

  #move(event) {
    const at = this.nodes.indexOf(event.target.closest(".loom-node"));
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") this.#choose(this.nodes[at].dataset.id);
    else if (event.key in STEPS) this.nodes[at + STEPS[event.key]]?.focus();
    else return;
    event.preventDefault();
  }
}

customElements.define("loom-graph", Graph);
