// Recall explained: why each memory was found, what was left out; correct, replace or forget one.

import { make, shortened, text } from "../drawing/dom.js";
import "../drawing/shares.js";
import { isObject } from "./bridge.js";
import { Page } from "./page.js";

const EXCERPT = 600;
const MOST = 50;
const READING = "A whole bar is a score of 1. Similarity is shared among its signals: cosine (likeness of vectors), words (shared words), "
  + "context, tag, date and session. Suspicion is subtracted and given as a number only.";

const page = new Page("Recall", recalled);
let found = [];

function recalled({ data, metadata }, given) {
  found = data.memories.slice(0, MOST);
  const more = data.memories.length - found.length;
  return [
    given.text ? text("p", given.text, "studio-lead") : null,
    make("p", { class: "studio-quiet" }, summary(data, given.offset ?? 0)),
    more ? make("p", { class: "studio-note" }, `${more} memories of this answer are not drawn.`) : null,
    ...notesOf(metadata).map((note) => text("p", note, "studio-note")),
    ...asking(data, given),
    found.length ? make("ol", { class: "studio-found" }, found.map((memory, at) => make("li", { class: "studio-card" }, card(memory, at + 1)))) : null,
    found.some(explained) ? make("p", { class: "studio-quiet studio-small" }, READING) : null,
  ].filter(Boolean);
}

const explained = (memory) => isObject(memory.explanation);
const notesOf = (metadata) => isObject(metadata) && Array.isArray(metadata.notes) ? metadata.notes : [];

function summary(data, offset) {
  const shown = data.memories.length;
  if (!shown) return "Nothing is relevant: no memory shares a word with the question or is near enough to it.";
  const left = data.totalCount - offset - shown;
  const sure = typeof data.answerable === "number" ? ` That one of the best answers the question: ${data.answerable.toFixed(2)}.` : "";
  return `${shown} of ${data.totalCount} candidates, the best first${left > 0 ? `; ${left} less relevant ones are left out` : ""}.${sure}`;
}

/** Return the buttons that call recall again, for the parts of the scores or for what was left out. */
function asking(data, given) {
  if (!page.can("recall")) return [];
  const again = (label, more) => make("button", { class: "studio-button", type: "button", onclick: () => recall({ ...given, ...more, explain: true }) }, label);
  const end = (given.offset ?? 0) + data.memories.length;
  const buttons = [
    found.length && !found.every(explained) ? again("Explain the scores", {}) : null,
    data.totalCount > end && data.memories.length ? again("Show what was left out", { offset: end }) : null,
  ].filter(Boolean);
  return buttons.length ? [make("div", { class: "app-actions" }, buttons)] : [];
}

async function recall(given) {
  const values = await page.call("recall", given, "");
  if (!values) return;
  page.given = given;
  page.show(() => values);
  focusOn(page.main.querySelector("li"));
}

function card(memory, place) {
  return [
    make("div", { class: "studio-row" },
      make("strong", {}, `${place}.`), make("span", {}, memory.id), make("span", { class: "studio-mark own" }, memory.primarySector),
      memory.supersededBy ? make("span", { class: "studio-mark warn" }, `superseded by ${memory.supersededBy}`) : null,
      memory.nearest ? make("span", { class: "studio-mark warn" }, "only near") : null,
      make("span", { class: "studio-number" }, `score ${memory.score.toFixed(3)}`)),
    text("p", shortened(memory.content, EXCERPT), "studio-cell"),
    make("p", { class: "studio-quiet studio-small" }, `Stored ${memory.createdAt.slice(0, 10)}`),
    explained(memory) ? make("loom-shares", { data: JSON.stringify(memory.explanation) }) : null,
    actions(memory),
  ];
}

const CHANGES = [
  { name: "Correct", tool: "update_memory", label: "What it should say", done: "corrected",
    given: (memory, content) => ({ memoryId: memory.id, content }) },
  { name: "Replace", tool: "remember", label: "What holds now; the old memory is kept as superseded", done: "superseded",
    given: (memory, content) => ({ content, primarySector: memory.primarySector, supersede: [memory.id] }) },
];

function actions(memory) {
  const place = make("div", { class: "app-actions" });
  const close = (label) => { place.replaceChildren(...buttons); buttons.find((each) => each.textContent === label)?.focus(); };
  const open = (form, first) => { place.replaceChildren(form); first.focus(); };
  const button = (label, onclick, look = "") => make("button", { class: `studio-button ${look}`, type: "button", "aria-label": `${label} ${memory.id}`, onclick }, label);
  const act = async (tool, given, done) => {
    if (!await page.call(tool, given, `${memory.id} is ${done}.`)) return;
    page.note(`${memory.id} is ${done}${given.content ? `: ${shortened(given.content, 200)}` : ""}`);
    place.replaceChildren(make("span", { class: "studio-mark warn", tabindex: -1 }, done));
    focusOn(place.firstChild);
  };
  const edit = (change) => {
    const area = make("textarea", { "aria-label": `${change.label}: ${memory.id}` });
    area.value = memory.content;
    const save = () => { if (area.value.trim()) act(change.tool, change.given(memory, area.value.trim()), change.done); };
    // No form: hosts may open pages in a sandbox without `allow-forms`, which submits none.
    open(make("div", { class: "app-form", role: "group", style: { flex: "1" } }, make("span", { class: "studio-quiet studio-small" }, change.label), area,
      make("div", { class: "app-actions" }, make("button", { class: "studio-button first", type: "button", onclick: save }, "Save"),
        make("button", { class: "studio-button", type: "button", onclick: () => close(change.name) }, "Cancel"))), area);
  };
  const forget = () => {
    const hide = button("Hide", () => act("forget", { memoryId: memory.id, soft: true }, "hidden"));
    open(make("div", { class: "app-actions", role: "group", "aria-label": `Forget ${memory.id}` }, hide,
      button("Delete for good", () => act("forget", { memoryId: memory.id, soft: false }, "deleted"), "danger"), button("Cancel", () => close("Forget"))), hide);
  };
  const buttons = [
    ...CHANGES.filter(({ tool }) => page.can(tool)).map((change) => button(change.name, () => edit(change))),
    ...(page.can("forget") ? [button("Forget", forget)] : []),
  ];
  place.append(...buttons);
  return place;
}

function focusOn(element) {
  if (!element) return;
  element.tabIndex = -1;
  element.focus();
}

page.begin();
