// Two eval runs, such as two versions of a prompt: the verdict, the figures, and each case in both.

import { make, text } from "../drawing/dom.js";
import { Page } from "./page.js";
import { code, facts, fold, list, prose, quiet, section } from "./parts.js";

const STEP = 20;
const MOST = 50;
const DIGITS = 4;
const OUTCOMES = {
  to_wrong: ["became wrong", "wrong"], to_right: ["became right", "good"], other: ["changed otherwise", "warn"],
  wrong: ["wrong in both", "quiet"], right: ["right in both", "quiet"],
};

const page = new Page("Versions compared", compared);

function compared({ comparison, runs, notes }, given) {
  const remarks = (notes ?? []).map((note) => text("p", note, "studio-note"));
  const chosen = [...runs].length > 1 ? choosing(runs, comparison) : null;
  if (!comparison) return [...remarks, chosen].filter(Boolean);
  const { suite, verdict, caveats, base, other, figures, prompts, cases, cases_total: total } = comparison;
  return [
    text("p", suite, "studio-lead"), ...remarks,
    section("Verdict", prose(verdict), caveats.length ? list(caveats) : null),
    make("div", { class: "studio-streams app-tree" }, side("Base", base), side("Compared with it", other)),
    section("Figures", quiet("Means of an item, and the paired difference with its 95 % interval."), table(figures)),
    prompts.length ? section("How the prompts differ", prompts.map(changed)) : null,
    make("h2", {}, "Cases and versions"), quiet(`${cases.length} of ${total} cases, those that changed first.`),
    cases.length ? make("ol", { class: "studio-found" }, cases.map((each) => make("li", { class: "studio-card" }, card(each, base, other)))) : null,
    more(given, cases.length, total, base, other), chosen,
  ].filter(Boolean);
}

const rounded = (value) => Number(value.toPrecision(DIGITS)).toLocaleString("en", { maximumSignificantDigits: DIGITS });
const signed = (value) => value > 0 ? `+${rounded(value)}` : rounded(value);
const reach = (interval, write = rounded) => Array.isArray(interval) ? interval.map(write).join(" to ") : interval;

function side(title, { name, label, llm, items, score, interval }) {
  return make("section", { class: "studio-card" }, make("h2", {}, title), prose(label),
    facts({ Score: rounded(score), "95 % interval": reach(interval), Cases: items, "Language model": llm, File: name }));
}

function table(figures) {
  const heads = ["figure", "base", "other", "difference, 95 % interval"].map((each) => make("th", { scope: "col" }, each));
  const row = ({ name, base, other, difference, interval }) => make("tr", {}, make("th", { scope: "row", dir: "auto" }, name),
    [rounded(base), rounded(other), [signed(difference), make("div", { class: "studio-quiet studio-small" }, reach(interval, signed))]].map((each) => make("td", {}, each)));
  return make("div", { class: "app-wide", role: "region", "aria-label": "Figures", tabindex: 0 },
    make("table", { class: "app-table" }, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, figures.map(row))));
}

function changed({ prompt, base_version: before, other_version: after, lines }) {
  const version = (value) => value === null ? "not used" : `v${value}`;
  return fold(`${prompt}: ${version(before)} → ${version(after)}`, code(lines.join("\n"), `Difference of ${prompt}`));
}

function card({ item, question, outcome, base, other }, one, two) {
  const [words, look] = OUTCOMES[outcome];
  const mark = (answer) => answer ? rounded(answer.score) : "not asked";
  return [
    make("div", { class: "studio-row" }, text("strong", item), make("span", { class: `studio-mark ${look}` }, words),
      make("span", { class: "studio-number" }, `${mark(base)} → ${mark(other)}`)),
    text("p", question, "studio-cell"),
    make("details", { class: "studio-fold", open: outcome.startsWith("to_") }, make("summary", {}, "Answers side by side"),
      make("div", { class: "app-sides" }, answered(one.label, base, "del"), answered(two.label, other, "ins"))),
  ];
}

function answered(label, answer, kind) {
  return make("div", {}, text("h3", label), answer ? make("div", { class: "studio-prose", dir: "auto" }, marked(answer, kind)) : quiet("It was not asked."));
}

/** Split a text at its changed words; their places count characters, not units of UTF-16. */
function marked({ text: whole, changed: places }, kind) {
  const characters = [...whole];
  const from = (start, end) => characters.slice(start, end).join("");
  let done = 0;
  const parts = places.flatMap(([start, end]) => {
    const before = from(done, start);
    done = end;
    return [before, make(kind, {}, from(start, end))];
  });
  return [...parts, from(done)];
}

function more(given, drawn, total, base, other) {
  const most = Math.min(total, drawn + STEP, MOST);
  if (most <= drawn || !page.can("eval_compare")) return null;
  const onclick = () => read({ ...given, base: base.name, other: other.name, limit: most });
  return make("div", { class: "app-actions" }, make("button", { class: "studio-button", type: "button", onclick }, "Show more cases"));
}

/** Let the user choose among the newest runs. No form: a host's sandbox may submit none. */
function choosing(runs, comparison) {
  if (!page.can("eval_compare")) return null;
  const choice = (label, chosen) => {
    const options = runs.map(({ name, number, suite }) => make("option", { value: name, selected: name === chosen }, `${number}. ${name} (${suite})`));
    return make("label", {}, label, make("select", { "aria-label": label, dir: "auto", style: { width: "100%" } }, options));
  };
  const base = choice("Base", comparison?.base.name ?? runs[1].name);
  const other = choice("Compared with it", comparison?.other.name ?? runs[0].name);
  const onclick = () => read({ base: base.lastChild.value, other: other.lastChild.value });
  return section("Compare other runs", make("div", { class: "app-form" }, base, other,
    make("div", { class: "app-actions" }, make("button", { class: "studio-button", type: "button", onclick }, "Compare"))));
}

async function read(given) {
  const values = await page.call("eval_compare", given, "");
  if (!values) return;
  page.given = given;
  page.show(() => values);
  const title = page.main.querySelector("h1");
  title.tabIndex = -1;
  title.focus();
}

page.begin();
