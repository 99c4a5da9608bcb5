// Streams that think in parallel: what each came to, where they contradict each other, what they said on the way.

import { make, text } from "../drawing/dom.js";
import "../drawing/streams.js";
import { isObject } from "./bridge.js";
import { Page } from "./page.js";
import { decimals, facts, list, prose, quiet, section } from "./parts.js";

const page = new Page("Streams", answered);

function answered(values, given) {
  const data = values.data ?? values;
  if (data.status === "needs_answers") return [quiet(`The run waits for ${data.questions.length} answers of the model (round ${data.round}).`)];
  const place = make("div", {}, ...asAnswered(data));
  const run = isObject(values.metadata) ? values.metadata.runId : undefined;
  if (run && page.can("view_streams")) read(run, place, data);
  const advice = (data.recommendations ?? []).map(({ priority, description }) => `${priority}. ${description}`);
  return [
    given.problem ? text("p", given.problem, "studio-lead") : null,
    section("Conclusion", prose(data.conclusion), facts({ Confidence: decimals(data.confidence), Quality: decimals(data.quality), Rounds: data.quarters, "Ended because": data.stoppedBecause }),
      advice.length ? [make("h3", {}, "What to do"), list(advice)] : null),
    place,
  ].filter(Boolean);
}

function asAnswered({ conflicts, insights, streams }) {
  const columns = (streams ?? []).map(({ stream, conclusion, confidence, violates }) => make("section", { class: `studio-stream ${stream}` },
    make("h4", {}, stream), prose(conclusion), facts({ Confidence: decimals(confidence) }), violates ? make("span", { class: "studio-mark wrong" }, "breaks a constraint") : null));
  return [...opposed(conflicts ?? []), ...(columns.length ? [make("h2", {}, "The streams"), make("div", { class: "studio-streams" }, columns)] : []), ...seen(insights ?? [])];
}

function opposed(conflicts) {
  const card = ({ sourceStreams, severity, description, evidence, resolved }) => make("section", { class: "studio-card studio-conflict" },
    make("h3", {}, `${sourceStreams.join(" against ")}, severity ${decimals(severity)}`), prose(`${description}${resolved ? ` (resolved: ${resolved})` : ""}`),
    evidence?.length ? list(evidence) : null);
  return [make("h2", {}, "Conflicts"), ...(conflicts.length ? conflicts.map(card) : [quiet("None.")])];
}

function seen(insights) {
  const line = (each) => isObject(each)
    ? `${each.content}${each.withdrawn ? ` (withdrawn: ${each.withdrawn})` : ""} · ${(each.sources ?? []).join(", ")} · ${decimals(each.confidence)} sure` : each;
  return insights.length ? [make("h2", {}, "Insights"), list(insights.map(line))] : [];
}

/** Replace the answer's short forms by what was saved of the run, if it still is. */
async function read(run, place, data) {
  const saved = await page.call("view_streams", { run_id: run }, "");
  if (!saved) return;
  const { names, quarters } = saved.drawing;
  const whole = { conflicts: saved.conflicts, insights: saved.insights, streams: quarters.length ? [] : data.streams };
  place.replaceChildren(...asAnswered(whole));
  if (!quarters.length) return;
  const columns = names.length ? names : [...new Set(quarters.map(({ stream }) => stream))];
  place.append(make("h2", {}, "What each stream said"), make("loom-streams", { data: JSON.stringify({ ...saved.drawing, names: columns }) }));
}

page.begin();
