"""The difference of two answers: what was said and found, in every mode, and no ids."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from reasonloom.nodes.runs.answer_diff import answer_statements, difference, lines_of


def tree(best: int = 0, **scores: float) -> dict[str, Any]:
    names = {"by boat": 0.9, "on foot": 0.4, **scores}
    branches = [
        {"id": str(uuid4()), "thought_id": str(uuid4()), "name": name, "content": f"Go {name}.",
         "score": score, "merged": []}
        for name, score in names.items()
    ]  # fmt: skip
    return {
        "thought_id": str(uuid4()), "run_id": str(uuid4()), "llm": "m",
        "content": f"Go {branches[best]['name']}. It is quick.",
        "recommended_branch": branches[best]["id"], "branches": branches, "exhausted": None,
    }  # fmt: skip


def test_a_tree_tells_which_branch_and_which_scores() -> None:
    assert difference(tree(), tree()) == []
    changed = difference(tree(), tree(1, **{"on foot": 0.95}))
    assert [line for line in changed[3:] if line[0] in "+-"] == [
        "-Go by boat.", "+Go on foot.",
        "-recommended_branch: by boat", "+recommended_branch: on foot",
        "-branches / on foot / score: 0.4", "+branches / on foot / score: 0.95",
    ]  # fmt: skip


def divergent(**novelty: float) -> dict[str, Any]:
    views = [
        {"id": str(uuid4()), "lens": lens, "viewpoint": f"By {lens}. So.", "novelty_score": value,
         "constraints": [{"constraint": "be free", "kept": True, "by": "llm"}]}
        for lens, value in novelty.items()
    ]  # fmt: skip
    both = "All in all. P1 holds."
    return {"content": both, "synthesis": both, "perspectives": views, "sources": [views[0]["id"]]}


def test_divergent_tells_of_each_perspective_and_its_sources_once() -> None:
    lines = lines_of(divergent(inversion=0.25))
    assert lines == [
        "All in all.", "P1 holds.", "perspectives / inversion / viewpoint: By inversion.",
        "perspectives / inversion / viewpoint: So.",
        "perspectives / inversion / novelty_score: 0.25",
        "perspectives / inversion / constraints / be free / kept: True",
        "perspectives / inversion / constraints / be free / by: llm", "sources: inversion",
    ]  # fmt: skip
    changed = difference(divergent(inversion=0.25), divergent(inversion=0.5))
    assert "+perspectives / inversion / novelty_score: 0.5" in changed


def test_reflection_and_auto_tell_what_they_come_to() -> None:
    reflection = {"content": "", "improved_reasoning": "Better. Now.", "weaknesses": ["Vague."]}
    assert answer_statements(reflection) == ["Better.", "Now."]
    assert lines_of(reflection) == ["Better.", "Now.", "weaknesses: Vague."]
    auto = {
        "recommended_mode": "tree", "confidence": 0.123456, "rationale": "tree: it fits.",
        "alternative_modes": [{"mode": "got", "confidence": 0.1}],
        "votes": [{"by": "llm", "mode": "tree"}],
    }  # fmt: skip
    assert lines_of(auto) == [
        "tree: it fits.", "recommended_mode: tree", "confidence: 0.1235",
        "alternative_modes / got / confidence: 0.1", "votes / tree / by: llm",
    ]  # fmt: skip


def test_a_run_without_an_answer_has_no_lines() -> None:
    assert (lines_of(None), answer_statements(None)) == ([], [])
    assert difference(None, {"content": "It works."})[-1] == "+It works."
