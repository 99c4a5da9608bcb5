// Elements and texts. Nothing here parses HTML: a text stays a text.

const SVG = "http://www.w3.org/2000/svg";
const STEERING = /[\p{Cf}\p{Co}\p{Cs}\p{Cc}]/gu;

/** Return a text with each invisible character replaced by its code point. */
export function visible(text) {
  const spelled = (char) => "\n\t".includes(char) ? char : `⟨U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  return String(text ?? "").replace(STEERING, spelled);
}

/** Return the start of a text; a cut is marked with an ellipsis. */
export function shortened(text, most) {
  const line = visible(text).replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") Object.assign(element.style, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null).map((child) => child instanceof Node ? child : visible(child)));
  return element;
}

/** Make an HTML element; `style` is an object, `onclick` and the like are listeners. */
export const make = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/** Make an SVG element. */
export const draw = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

/** Make a text of foreign origin, in the direction of its own script. */
export const text = (name, value, look) => make(name, { class: look, dir: "auto" }, value);

/** A custom element that draws the JSON in its attribute `data`, and again when that changes. */
export class LoomElement extends HTMLElement {
  static observedAttributes = ["data"];

  connectedCallback() { this.redraw(); }

  attributeChangedCallback() { if (this.isConnected) this.redraw(); }

  redraw() {
    const data = JSON.parse(this.getAttribute("data") || "null");
    this.replaceChildren(...(data === null ? [] : this.drawn(data)));
  }
}

export const SERIES = ["#3b6ea5", "#c77d1e", "#3f8f6b", "#9a5ba5", "#b8483f", "#6c7a89", "#8a8f2a", "#2d8c9c"];
