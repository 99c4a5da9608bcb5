"""Renders the reasoning of a session, for a language model and as a plain list."""

from collections.abc import Iterator

from reasonloom.stores.graph_memory.session_reasoning import Reasoning, Rejected
from reasonloom.text.sentences import join_sentences, sentences_in
from reasonloom.text.shortening import shortened

MOST_READ, LONGEST_READ = 20, 1_500
"""Maximum conclusions and rejected branches read, and characters of each."""

LONGEST_PROMPT = 12_000
"""Maximum characters of reasoning in the prompt."""

FIRST_SENTENCES, LONGEST_LINE = 2, 300
CONCLUDED = "Concluded on {question}: {content}"
REJECTED = "Rejected: {content}"
WHY = "{rejected} ({why})"
SCORED = "it scored {score:.2f}"
BETTER = "{better} was recommended: {reason}"
LEFT = "left for: {direction}"
GIVEN_UP = "given up"


def render_reasoning(reasoning: Reasoning) -> list[dict[str, str]]:
    """Return the reasoning for the prompt: conclusions, then rejected branches, newest first."""
    found = [
        {"kind": f"concluded on {shortened(each.question)}", "content": each.content}
        for each in reasoning.conclusions
    ]
    found += [
        {"kind": f"rejected ({reason_of(each)})", "content": _named(each)}
        for each in reasoning.rejected
    ]
    left, chosen = LONGEST_PROMPT, []
    for entry in found:
        left -= sum(map(len, entry.values()))
        if left < 0:
            break
        chosen.append(entry)
    return chosen


def list_reasoning(reasoning: Reasoning, limit: int) -> list[str]:
    """Return lines of at most `limit` characters in total: conclusions, then rejected branches."""
    taken: list[str] = []
    for line in dict.fromkeys(_lines(reasoning)):
        if len(line) + 1 > limit:
            break
        limit -= len(line) + 1
        taken.append(line)
    return taken


def reason_of(branch: Rejected) -> str:
    """Return why a branch was rejected, as far as it is recorded."""
    if branch.direction:
        return LEFT.format(direction=shortened(branch.direction))
    reasons = []
    if branch.score is not None:
        reasons.append(SCORED.format(score=branch.score))
    if branch.better and branch.reason:
        reasons.append(BETTER.format(better=branch.better, reason=_begin(branch.reason)))
    return "; ".join(reasons) or GIVEN_UP


def _lines(reasoning: Reasoning) -> Iterator[str]:
    for each in reasoning.conclusions:
        yield CONCLUDED.format(question=shortened(each.question), content=_begin(each.content))
    for branch in reasoning.rejected:
        rejected = REJECTED.format(content=_begin(_named(branch)))
        yield WHY.format(rejected=rejected, why=reason_of(branch))


def _named(branch: Rejected) -> str:
    """Return a branch's content, preceded by the approach's name if another was recommended."""
    return f"{branch.name}: {branch.content}" if branch.better else branch.content


def _begin(text: str) -> str:
    return shortened(join_sentences(sentences_in(text)[:FIRST_SENTENCES]), LONGEST_LINE)
