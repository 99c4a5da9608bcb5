"""What agents, readers and language models see: a change of it must show in review."""

from __future__ import annotations

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from reasonloom.contracts.schema import publish
from reasonloom.graphs.graph import load_graph
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.server.envelopes.envelope import Envelope
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.server.toolsets.toolset import ToolLine

LINES = [(each.envelope, line) for each in (*TOOLSETS, *EXTRA_TOOLSETS) for line in each.tools]
GRAPHS = sorted({each.graph for _, line in LINES for each in (line, line.under_reference(""))})
CHECKED = {
    "text": "The band always plays on Fridays, so we never sleep.",
    "evidence": ["It played on three Fridays of four."],
    "background": "A neighbour writes.",
}
LENSES = [
    {"name": "auditor", "view": "You trace what each judgement rests on."},
    {"name": "opponent", "view": "You argue the other side."},
]
"""What most checks of reasoning are asked about."""

FAILED = {"answer": "Two pizzas are 23 euros.", "claims": ["2 * 12 == 23"]}
"""An answer whose calculation does not hold."""

SEARCHED = {"queries": ["allergies of the guests"], "labels": ["[M1, 2026-11-17, fact]"]}
CONTRADICTED = [{"sentence": "Anna may eat 5 peanuts.", "memory": "Anna may eat 0 peanuts."}]
"""A sentence of it that a memory contradicts."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "auto/compare": {
        "content": "Where shall we eat with Anna?",
        "first": "At the Rialto.",
        "second": "At home, without peanuts.",
    },
    "analysis/select": {
        "problem": "Why do we not sleep?",
        "background": "The band plays on Fridays.",
        "goals": ["Sleep by eleven."],
        "frameworks": [
            {"id": "root-cause-analysis", "best_for": "something went wrong"},
            {"id": "systems-thinking", "best_for": "many things drive each other"},
        ],
    },
    "analysis/step": {
        "searched": SEARCHED,
        "failed": FAILED,
        "problem": "Why do we not sleep?",
        "background": "The band plays on Fridays.",
        "constraints": ["It costs nothing."],
        "goals": ["Sleep by eleven."],
        "memories": [{"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The wall is thin."}],
        "framework": {"name": "Root Cause Analysis", "description": "To the cause"},
        "step": {
            "name": "Test the causes",
            "told": "Hold each cause against the facts.",
            "questions": ["Which facts speak against it?"],
            "expects": "the cause that explains most",
        },
        "before": [{"label": "S1", "step": "Describe the failure", "output": "Fridays only."}],
        "lacking": ["List possible causes"],
    },
    "analysis/conclude": {
        "problem": "Why do we not sleep?",
        "background": "The band plays on Fridays.",
        "constraints": ["It costs nothing."],
        "goals": ["Sleep by eleven."],
        "frameworks": [
            {
                "name": "Root Cause Analysis",
                "results": [
                    {
                        "label": "S4",
                        "step": "Test the causes",
                        "output": "It is the band.",
                        "open": ["How loud is it?"],
                    }
                ],
            },
            {"name": "Systems Thinking", "results": []},
        ],
        "lacking": ["Prevent"],
    },
    "auto/route": {
        "content": "Where shall we eat with Anna?",
        "hints": ["a choice"],
        "steps": ["Anna is allergic to peanuts."],
        "checkpoint": True,
    },
    "sessions/episode": {
        "notes": [
            {"kind": "fact", "content": "Anna is allergic to peanuts."},
            {"kind": "user", "content": "Where shall we eat?"},
            {"kind": "decision", "content": "At the Rialto."},
        ],
        "reasoning": [
            {"kind": "concluded on Where shall we eat?", "content": "The Rialto cooks without."},
            {"kind": "rejected (it scored 0.30)", "content": "Curry: the cook uses peanuts."},
        ],
    },
    "linear/continue": {
        "searched": SEARCHED,
        "executes": True,
        "failed": FAILED,
        "contradicted": CONTRADICTED,
        "content": "What must we tell the restaurant?",
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "doubt": "A first attempt came out with confidence 0.20.",
    },
    "backtrack/explore": {
        "searched": SEARCHED,
        "failed": FAILED,
        "content": "Ask for a restaurant without peanuts.",
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "doubt": "A first attempt came out with confidence 0.20.",
    },
    "tree/propose": {
        "searched": SEARCHED,
        "content": "Where shall we eat?",
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "count": 4,
        "doubt": "A first exploration came out with confidence 0.20.",
    },
    "tree/explore": {
        "searched": SEARCHED,
        "executes": True,
        "failed": FAILED,
        "contradicted": CONTRADICTED,
        "content": "Where shall we eat?",
        "approach": "Ask a restaurant to leave the peanuts out.",
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "Anna is allergic to peanuts."}
        ],
    },
    "tree/judge": {
        "content": "Where shall we eat?",
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "candidates": [
            {"label": "A", "text": "Cook at home."},
            {"label": "B", "text": "Call the Rialto."},
        ],
        "reasons": ["Home is safe; a restaurant has to be asked first."],
    },
    "divergent/view": {
        "searched": SEARCHED,
        "failed": FAILED,
        "content": "How do we keep Anna safe at dinner?",
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "lens": {"name": "inversion", "told": "Turn the problem round."},
        "constraints": ["It costs nothing."],
    },
    "divergent/check": {
        "content": "How do we keep Anna safe at dinner?",
        "viewpoint": "Hire a cook for the evening.",
        "constraints": ["It costs nothing."],
    },
    "divergent/synthesise": {
        "failed": FAILED,
        "contradicted": CONTRADICTED,
        "content": "How do we keep Anna safe at dinner?",
        "perspectives": [
            {"label": "P1", "lens": "inversion", "viewpoint": "Tell nobody.", "broken": []},
            {
                "label": "P2",
                "lens": "analogy",
                "viewpoint": "Hire a cook.",
                "broken": ["It costs nothing."],
            },
        ],
        "constraints": ["It costs nothing."],
        "doubt": "A first attempt came out with confidence 0.20.",
    },
    "models/outcome": {
        "situation": "My boss keeps moving the deadline.",
        "prediction": "She sleeps badly.",
        "observation": "She slept well.",
    },
    "reflection/critique": {
        "searched": SEARCHED,
        "content": "Anna can eat there.",
        "question": "Can Anna eat there?",
        "memories": [
            {"id": 1, "label": "[M1, 2026-10-01, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "focus_areas": ["safety"],
    },
    "reflection/revise": {
        "searched": SEARCHED,
        "executes": True,
        "content": "Anna can eat there.",
        "question": "Can Anna eat there?",
        "memories": [
            {"id": 1, "label": "[M1, 2026-10-01, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "failed": FAILED,
        "contradicted": CONTRADICTED,
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "focus_areas": ["safety"],
        "weaknesses": ["It forgets the oil."],
        "recommendations": ["Name the oil."],
    },
    "reflection/compare": {
        "question": "Can Anna eat there?",
        "memories": [
            {"id": 1, "label": "[M1, 2026-10-01, fact]", "content": "Anna is allergic to peanuts."}
        ],
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "focus_areas": ["safety"],
        "first": "Anna can eat there.",
        "second": "Anna can eat there without the oil.",
    },
    "evals/judge": {
        "task": "Can Anna eat there?",
        "question": "Which answer is right, or nearer to being right?",
        "first": "Anna can eat there.",
        "second": "Anna can eat there without the oil.",
    },
    "evals/reflect": {
        "name": "own/answer",
        "template": "{% block system %}Say it.{% endblock %}",
        "variables": ["question"],
        "examples": [
            {
                "input": "Can Anna eat there?",
                "answer": "No.",
                "target": "Yes",
                "score": 0.0,
                "why": "It is not the target.",
                "calls": ["Who cooks?\n---\nBen."],
            }
        ],
        "rejected": [{"template": "Say it.", "why": "lacks the block system"}],
    },
    "reflection_evaluate/opine": {
        "question": "Can Anna eat there?",
        "history": [{"input": "Who comes?", "content": "Anna and Ben."}],
        "figures": {"coherence": 0.5, "coverage": 1.0},
        "findings": ["thought 1 is unsure of itself (0.20)."],
    },
    "basins/name": {
        "words": ["band", "wall", "Fridays"],
        "memories": ["The band plays on Fridays.", "The wall is thin."],
    },
    "breakdown/split": {
        "searched": SEARCHED,
        "problem": "Open a shop for violins",
        "part": "Find premises",
        "line": ["Prepare the opening"],
        "others": ["Buy violins"],
        "background": "Anna lends 9000.",
        "constraints": ["No debts"],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The shop opens in May."}
        ],
        "levels": 2,
    },
    "breakdown/link": {
        "problem": "Open a shop for violins",
        "parts": [
            {"number": "1", "description": "Find premises"},
            {"number": "1.1", "description": "View three streets"},
            {"number": "2", "description": "Buy violins"},
        ],
        "known": [{"before": "1", "after": "2"}],
    },
    "consolidate/summarise": {
        "episodes": [
            {"date": "2026-01-05", "content": "Anna ran 5 km."},
            {"date": "2026-01-12", "content": "Anna ran 7 km."},
        ]
    },
    "game24/answer": {"puzzle": "4 4 6 8", "steps": ["4 + 8 = 12", "6 - 4 = 2", "2 * 12 = 24"]},
    "game24/chain": {"puzzle": "4 4 6 8", "attempts": 20},
    "game24/direct": {"puzzle": "4 4 6 8", "attempts": 20},
    "game24/propose": {"puzzle": "4 4 6 8", "steps": ["4 + 8 = 12"], "numbers": "4 6 12"},
    "game24/value": {"numbers": "2 12", "attempts": 3},
    "got/aggregate": {
        "problem": "How do we sleep?",
        "inputs": [
            {"label": "A", "content": "Insulate the wall."},
            {"label": "B", "content": "Ask the band to stop at ten."},
        ],
    },
    "got/conclude": {
        "problem": "How do we sleep?",
        "thoughts": [
            {"label": "N2", "content": "The wall is thin."},
            {"label": "N5", "content": "The wall is not thin."},
        ],
        "conflicts": ["N2 and N5: one denies what the other says"],
    },
    "got/generate": {
        "searched": SEARCHED,
        "problem": "How do we sleep?",
        "node": "The band is loud.",
        "line": [{"content": "We cannot sleep."}],
        "siblings": [{"content": "The wall is thin."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The band plays on Fridays."}
        ],
        "count": 3,
    },
    "got/judge": {
        "problem": "How do we sleep?",
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The band plays on Fridays."}
        ],
        "candidates": [
            {"label": "A", "content": "Insulate the wall.", "rests_on": ["The wall is thin."]},
            {"label": "B", "content": "The band is loud.", "rests_on": []},
        ],
        "others": [{"id": "8", "content": "The wall is not thin."}],
    },
    "got/refine": {
        "searched": SEARCHED,
        "failed": FAILED,
        "problem": "How do we sleep?",
        "node": "Insulate the wall.",
        "line": [{"content": "The band is loud."}],
        "memories": [
            {"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The band plays on Fridays."}
        ],
    },
    "grounding/entailment": {
        "claim": "Rosa opens the shop at nine.",
        "memories": ["The shop opens at 9:00.", "Rosa has the key."],
        "lens": "You go through the claim part by part.",
    },
    "grounding/entailment_views": {
        "claim": "Rosa opens the shop at nine.",
        "memories": ["The shop opens at 9:00.", "Rosa has the key."],
        "lenses": [{"name": "clerk", "view": "You go through the claim part by part."}],
    },
    "intersection/intersect": {"first": [3, 1, 4], "second": [4, 1, 5], "attempts": 5},
    "intersection/split": {"numbers": [4, 1, 5, 9], "size": 2},
    "intersection/union": {"first": [1, 4], "second": [9], "attempts": 10},
    "metacognition/bias": {**CHECKED, "lens": "You trace what each judgement rests on."},
    "metacognition/confidence": {**CHECKED, "lens": "You would have to bet on it."},
    "metacognition/emotion": {
        "text": "We are not glad: the band plays again.",
        "background": "A neighbour writes.",
        "lens": "You read the words and their tone.",
    },
    "metacognition/quality": {**CHECKED, "lens": "You follow the steps."},
    "metacognition/bias_views": {**CHECKED, "lenses": LENSES},
    "metacognition/confidence_views": {**CHECKED, "lenses": LENSES},
    "metacognition/emotion_views": {
        "text": "We are not glad: the band plays again.",
        "background": "A neighbour writes.",
        "lenses": LENSES,
    },
    "metacognition/quality_views": {**CHECKED, "lenses": LENSES},
    "sorting/chain": {"numbers": [3, 1, 4, 1, 5]},
    "sorting/merge": {"first": [1, 3], "second": [1, 4, 5], "attempts": 10},
    "sorting/repair": {"numbers": [3, 1, 4, 1, 5], "flawed": [1, 3, 4, 5], "attempts": 5},
    "sorting/sort": {"numbers": [3, 1, 4, 1, 5], "attempts": 5},
    "sorting/split": {"numbers": [3, 1, 4, 1, 5], "size": 2},
    "thinking/stream": {
        "searched": SEARCHED,
        "failed": FAILED,
        "problem": "How do we sleep?",
        "background": "The band plays on Fridays.",
        "constraints": ["It costs nothing."],
        "goals": ["Sleep by eleven."],
        "memories": [{"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The wall is thin."}],
        "stream": {
            "name": "critical",
            "told": "Doubt.",
            "questions": ["What speaks against it?", "How would it fail first?"],
        },
        "quarter": 2,
        "rounds": 2,
        "counted": False,
        "points": ["Who has the key to the other room?"],
        "own": {
            "name": "critical",
            "insights": [
                {
                    "label": "critical-1",
                    "content": "The band has a permit.",
                    "withdrawn": "It ran out.",
                }
            ],
            "conclusion": "Asking is not enough.",
        },
        "others": [
            {
                "name": "creative",
                "insights": [{"label": "creative-1", "content": "Swap rooms.", "new": True}],
                "conclusion": "Sleep elsewhere.",
            }
        ],
        "answers": [
            {"by": "creative", "to": "critical-1", "stance": "disagree", "why": "It ran out."}
        ],
    },
    "thinking/deliberate": {
        "failed": FAILED,
        "contradicted": CONTRADICTED,
        "problem": "How do we sleep?",
        "background": "The band plays on Fridays.",
        "constraints": ["It costs nothing."],
        "goals": ["Sleep by eleven."],
        "memories": [{"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The wall is thin."}],
        "streams": [
            {
                "name": "creative",
                "insights": [
                    {"label": "creative-1", "content": "Swap rooms.", "withdrawn": "Alike."}
                ],
                "conclusion": "Sleep elsewhere.",
            }
        ],
        "conflicts": ["critical disagrees with creative: the rooms are alike"],
    },
    "thinking/synthesise": {
        "failed": FAILED,
        "contradicted": CONTRADICTED,
        "problem": "How do we sleep?",
        "background": "The band plays on Fridays.",
        "constraints": ["It costs nothing."],
        "goals": ["Sleep by eleven."],
        "memories": [{"id": 1, "label": "[M1, 2026-11-17, fact]", "content": "The wall is thin."}],
        "streams": [
            {
                "name": "creative",
                "insights": [{"label": "creative-1", "content": "Swap rooms."}],
                "conclusion": "Sleep elsewhere.",
            }
        ],
        "conflicts": ["critical disagrees with creative: the rooms are alike"],
    },
}


class JsonFile(SingleFileSnapshotExtension):
    file_extension = "json"
    _write_mode = WriteMode.TEXT


class TextFile(JsonFile):
    file_extension = "txt"


@pytest.mark.parametrize(("form", "line"), LINES, ids=[line.name for _, line in LINES])
def test_the_schemas_of_a_tool(form: Envelope, line: ToolLine, snapshot: SnapshotAssertion) -> None:
    schemas = {
        "description": line.request.__doc__,
        "input": publish(line.request),
        "output": form.schema(publish(line.answer, answer=True)),
    }
    drawn = json.dumps(schemas, indent=2, ensure_ascii=False) + "\n"
    assert drawn == snapshot(extension_class=JsonFile)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_drawing_of_a_graph(name: str, snapshot: SnapshotAssertion) -> None:
    drawn = load_graph(name).build().compile().get_graph().draw_mermaid()
    assert drawn == snapshot(extension_class=TextFile)


def test_every_prompt_has_an_example() -> None:
    assert sorted(EXAMPLES) == PromptRegistry().names()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_earlier_version_takes_what_the_newest_is_given(name: str) -> None:
    registry = PromptRegistry()
    for version in registry.versions(name):
        assert registry.get(name, version).render(**EXAMPLES[name]).version == version


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_prompt_as_it_is_asked(name: str, snapshot: SnapshotAssertion) -> None:
    prompt = PromptRegistry().get(name).render(**EXAMPLES[name])
    head = f"{prompt.name} v{prompt.version} {prompt.hash}"
    asked = "\n\n".join((head, prompt.system, "---", prompt.user)) + "\n"
    assert asked == snapshot(extension_class=TextFile)
