// A session as a tree with lanes: a click on a thought shows its prompt, memories and check.

import { make, text } from "../drawing/dom.js";
import "../drawing/lanes.js";
import { Page } from "./page.js";
import { code, decimals, facts, fold, list, prose, quiet, section } from "./parts.js";

const page = new Page("Session", answered);

/** Draw what the call concluded; then the session it belongs to, if the host passes calls on. */
function answered(values) {
  const data = values.data ?? values;
  const id = data.session_id ?? data.sessionId;
  const place = make("div", {});
  if (id && page.can("view_session")) read(id, place);
  else place.append(quiet(id ? "This host passes no calls of pages on, so the session's tree cannot be read." : "This answer belongs to no session."));
  return [concluded(data), place];
}

function concluded(data) {
  if (data.status === "needs_answers") return quiet(`The run waits for ${data.questions.length} answers of the model (round ${data.round}).`);
  const words = data.conclusion ?? data.content ?? data.synthesis ?? data.improved_reasoning;
  const parts = ["steps", "alternatives"].filter((name) => Array.isArray(data[name]) && data[name].length);
  const line = ({ label, text: said, confidence }) => [label, said, confidence === undefined ? null : `sure ${decimals(confidence)}`].filter(Boolean).join(" · ");
  return section("Conclusion", words ? prose(words) : quiet("This answer has no conclusion of its own."),
    facts({ Mode: data.mode, Confidence: decimals(data.confidence), "Chosen because": data.because, Partial: data.partial ? data.suggestion ?? "yes" : null }),
    parts.map((name) => fold(`${name} (${data[name].length})`, list(data[name].map(line)))));
}

async function read(id, place) {
  const session = await page.call("view_session", { session_id: id }, "");
  if (!session) { place.append(quiet("The session could not be read.")); return; }
  const { steps } = session.drawing;
  const left = session.total - steps.length;
  const panel = make("div", { class: "studio-card", role: "region", "aria-label": "The chosen thought", tabindex: -1 }, quiet("Choose a thought to see its prompt, memories and check."));
  const lanes = make("loom-lanes", { data: JSON.stringify(session.drawing), onchoose: ({ detail }) => open(detail, panel) });
  place.append(
    make("h2", {}, `Session ${session.number}`),
    facts({ Mode: session.mode ?? "mixed", Thoughts: session.total, Branches: session.branches, Checkpoints: session.checkpoints }),
    left > 0 ? make("p", { class: "studio-note" }, `The ${left} oldest thoughts are left out.`) : "",
    make("div", { class: "studio-columns app-tree" }, steps.length ? lanes : quiet("No thought yet."), panel));
}

async function open(id, panel) {
  const thought = await page.call("view_thought", { thought_id: id }, "");
  if (!thought) return;
  panel.replaceChildren(...thoughtParts(thought));
  panel.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

function thoughtParts(thought) {
  const memories = (made) => thought.memories.filter((each) => each.made === made).map(({ id, sector, content }) => `${id}, ${sector}: ${content}`);
  const [used, stored] = [memories(false), memories(true)];
  const check = Object.entries(thought.check).map(([name, value]) => `${name.replaceAll("_", " ")} ${Number.isInteger(value) ? value : decimals(value)}`).join(", ");
  const more = thought.calls_total - thought.calls.length;
  return [
    make("h2", {}, `Thought ${thought.position}`),
    facts({ Mode: thought.mode, Confidence: decimals(thought.confidence), Check: check || "none", "Language model": thought.llm, Stored: thought.created_at.slice(0, 16).replace("T", " ") }),
    ...(thought.input.trim() ? [make("h3", {}, "Asked"), prose(thought.input)] : []),
    make("h3", {}, "Concluded"), prose(thought.content),
    ...(used.length ? [make("h3", {}, "Memories it used"), list(used)] : []),
    ...(stored.length ? [make("h3", {}, "Memories it stored"), list(stored)] : []),
    ...(thought.calls.length ? [make("h3", {}, `Calls of its run: ${thought.calls_total}`), ...thought.calls.map(call)] : [quiet("No language model was called for it.")]),
    ...(more > 0 ? [quiet(`${more} more calls are left out.`)] : []),
  ];
}

function call({ node, prompt, model, tokens_in, tokens_out, estimated, messages, reply }) {
  return fold(`${node} · ${prompt}`,
    facts({ Model: model, Tokens: `${tokens_in} in, ${tokens_out} out${estimated ? " (estimated)" : ""}` }),
    messages.length ? messages.map(({ role, content }) => [make("h4", {}, `Rendered prompt, ${role}`), code(content, `Rendered prompt, ${role}`)]) : quiet("What was asked is not kept any more."),
    make("h4", {}, "Reply"), code(reply, "Reply of the language model"));
}

page.begin();
