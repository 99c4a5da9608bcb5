// A Graph of Thoughts with a replay; a click on a node shows its content, score and check.

import { make } from "../drawing/dom.js";
import "../drawing/graph.js";
import { Page } from "./page.js";
import { decimals, facts, prose, quiet, section } from "./parts.js";

const page = new Page("Graph of Thoughts", answered);

/** Draw what the call came to; then the whole graph, or the nodes of the answer where calls are not passed on. */
function answered(values) {
  const place = make("div", {});
  if (values.status === "needs_answers") return [quiet(`The run waits for ${values.questions.length} answers of the model (round ${values.round}).`)];
  if (page.can("view_graph")) read(values.graph_id, place);
  else place.append(quiet("This host passes no calls of pages on, so only this answer's own thoughts are drawn."), ...nodesOf(values).map(own));
  return [values.conclusion ? section("Conclusion", prose(values.conclusion), facts({ Confidence: decimals(values.confidence) })) : null, place].filter(Boolean);
}

const nodesOf = ({ nodes, node }) => Array.isArray(nodes) ? nodes : node ? [node] : [];
const own = ({ node_type, score, content }) => section(node_type, facts({ Score: decimals(score) }), prose(content));

async function read(id, place) {
  const graph = await page.call("view_graph", { graph_id: id }, "");
  if (!graph) { place.append(quiet("The graph could not be read.")); return; }
  const left = graph.total - graph.drawing.nodes.length;
  const panel = make("div", { class: "studio-card", role: "region", "aria-label": "The chosen thought" });
  const choose = (chosen) => panel.replaceChildren(...nodeParts(graph, chosen));
  const best = graph.drawing.nodes.reduce((one, other) => (other.score ?? 0) > (one.score ?? 0) ? other : one);
  choose(best.id);
  place.append(
    make("h2", {}, `Graph ${graph.number}, ${graph.finalized ? "finalized" : "open"}`), prose(graph.problem),
    left > 0 ? make("p", { class: "studio-note" }, `The ${left} newest thoughts are left out.`) : "",
    make("loom-graph", { data: JSON.stringify({ ...graph.drawing, chosen: best.id }), onchoose: ({ detail }) => choose(detail) }), panel);
}

function nodeParts(graph, id) {
  const node = graph.drawing.nodes.find((each) => each.id === id);
  const { content, check, parts, confidence, parents, beaten_by } = graph.details[id];
  const state = node.pruned ? "pruned" : beaten_by ? `beaten by ${beaten_by}` : node.terminal ? "concludes" : "takes part";
  const scores = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, decimals(part)]));
  return [
    make("h2", {}, `Thought ${node.number}: ${node.type}`),
    facts({ Score: node.score === null ? "not scored" : decimals(node.score), Check: check, ...scores, Claims: `${decimals(confidence)} sure`,
      "Came from": parents.join(", ") || "the problem", State: state }),
    prose(content),
  ];
}

page.begin();
