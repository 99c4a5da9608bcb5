# ruff: noqa: E501 - one reply a line, with whatever quotes a model writes
"""Malformed replies as models of every size write them, each with what should be read from it.

`TABLE` was written before the reader that is measured by it, `LATER` after it, to see how far it
carries over: 22 of these 30 were read right at first. `None` is for what no reader should guess at:
it has to be asked for again. So are three more of `LATER`, of which a reader could read more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

LINEAR, GENERATE, STEP = "linear/continue", "got/generate", "analysis/step"
BIAS, GROUND, COMPARE = "metacognition/bias", "grounding/entailment", "reflection/compare"
JUDGE, SPLIT, SAME = "tree/judge", "breakdown/split", "auto/compare"
PROPOSE, CHECK, ROUTE = "tree/propose", "divergent/check", "auto/route"
SURE, CRITIQUE = "metacognition/confidence", "reflection/critique"

PORT: dict[str, Any] = {"thought": "Use port 5432.", "confidence": 0.8}
QUOTED: dict[str, Any] = {"thought": 'She said "go" twice.', "confidence": 0.8}
BIASED: dict[str, Any] = {
    "type": "sunk_cost",
    "quote": "we already paid",
    "severity": 0.6,
    "confidence": 0.7,
    "correction": "Compare what lies ahead.",
}
TWO: list[dict[str, Any]] = [
    {"thought": "Use port 5432.", "confidence": 0.8},
    {"thought": "Use a socket.", "confidence": 0.4},
]
SILENT: dict[str, Any] = {"relation": "silent", "memories": [], "uncovered": [], "why": "No word."}
BEST: dict[str, Any] = {
    "scores": [{"label": "A", "score": 0.9}, {"label": "B", "score": 0.4}],
    "best": "A",
    "reason": "It is shorter.",
}


class Malformed(NamedTuple):
    """A reply to a packaged prompt; `wanted` is None where it has to be asked for again."""

    kind: str
    prompt: str
    text: str
    wanted: dict[str, Any] | None


TABLE = (
    # Fences and prose
    Malformed("fence", LINEAR, '```json\n{"thought": "Use port 5432.", "confidence": 0.8}\n```', PORT),
    Malformed("fence without language", LINEAR, '```\n{"thought": "Use port 5432.", "confidence": 0.8}```', PORT),
    Malformed("fence left open", LINEAR, '```json\n{"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    Malformed("fence on one line", LINEAR, '```json {"thought": "Use port 5432.", "confidence": 0.8} ```', PORT),
    Malformed("tilde fence", LINEAR, '~~~json\n{"thought": "Use port 5432.", "confidence": 0.8}\n~~~', PORT),
    Malformed("fence, single quotes", LINEAR, "```json\n{'thought': 'Use port 5432.', 'confidence': 0.8}\n```", PORT),
    Malformed("prose before", LINEAR, 'Here is my answer: {"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    Malformed("prose after", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8}\n\nI hope this helps!', PORT),
    Malformed("prose with braces", LINEAR, 'In {x: 1} terms:\n{"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    Malformed("thinking before", LINEAR, '<think>Maybe {"thought": "no"}?</think>\n{"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    Malformed("thinking before, then a comma too many", LINEAR, '<think>Ports... 5432?</think>{"thought": "Use port 5432.", "confidence": 0.8,}', PORT),
    Malformed("prose around single quotes", LINEAR, "Sure!\n{'thought': 'Use port 5432.', 'confidence': 0.8}\nDone.", PORT),
    Malformed("chat tokens", LINEAR, '<|assistant|>{"thought": "Use port 5432.", "confidence": 0.8}<|end|>', PORT),
    Malformed("the object twice", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8}\n{"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    Malformed("named json", LINEAR, 'json\n{"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    Malformed("quoted JSON", LINEAR, '"{\\"thought\\": \\"Use port 5432.\\", \\"confidence\\": 0.8}"', PORT),
    Malformed("byte order mark", LINEAR, '\ufeff{"thought": "Use port 5432.", "confidence": 0.8}', PORT),
    # Envelopes and names
    Malformed("envelope", LINEAR, '{"answer": {"thought": "Use port 5432.", "confidence": 0.8}}', PORT),
    Malformed("tool call", LINEAR, '{"name": "answer", "arguments": {"thought": "Use port 5432.", "confidence": 0.8}}', PORT),
    Malformed("tool call, arguments as text", LINEAR, '{"name": "answer", "arguments": "{\\"thought\\": \\"Use port 5432.\\", \\"confidence\\": 0.8}"}', PORT),
    Malformed("properties of a schema", LINEAR, '{"type": "object", "properties": {"thought": "Use port 5432.", "confidence": 0.8}}', PORT),
    Malformed("more keys", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8, "metadata": {"a": 1}}', PORT),
    Malformed("capital keys", LINEAR, '{"Thought": "Use port 5432.", "Confidence": 0.8}', PORT),
    Malformed("camel case keys", COMPARE, '{"better": "first", "firstScore": 0.7, "secondScore": 0.5, "reason": "It is complete."}', {"better": "first", "first_score": 0.7, "second_score": 0.5, "reason": "It is complete."}),
    Malformed("keys with blanks", COMPARE, '{"better": "first", "first score": 0.7, "second score": 0.5, "reason": "It is complete."}', {"better": "first", "first_score": 0.7, "second_score": 0.5, "reason": "It is complete."}),
    # Broken syntax
    Malformed("comma too many", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8,}', PORT),
    Malformed("comma too many in a list", STEP, '{"output": "O.", "insights": ["I.",], "open": [], "confidence": 0.8}', {"output": "O.", "insights": ["I."], "open": [], "confidence": 0.8}),
    Malformed("comma missing", LINEAR, '{"thought": "Use port 5432."\n "confidence": 0.8}', PORT),
    Malformed("single quotes", LINEAR, "{'thought': 'Use port 5432.', 'confidence': 0.8}", PORT),
    Malformed("keys without quotes", LINEAR, '{thought: "Use port 5432.", confidence: 0.8}', PORT),
    Malformed("typographic quotes", LINEAR, "{“thought”: “Use port 5432.”, “confidence”: 0.8}", PORT),
    Malformed("line break in a text", LINEAR, '{"thought": "Use\nport 5432.", "confidence": 0.8}', {"thought": "Use\nport 5432.", "confidence": 0.8}),
    Malformed("quotes not escaped", LINEAR, '{"thought": "She said "go" twice.", "confidence": 0.8}', QUOTED),
    Malformed("apostrophe within single quotes", LINEAR, "{'thought': 'It\\'s 5432.', 'confidence': 0.8}", {"thought": "It's 5432.", "confidence": 0.8}),
    Malformed("comments", LINEAR, '{"thought": "Use port 5432.", // the default\n "confidence": 0.8 /* sure */}', PORT),
    Malformed("Python's constants", SAME, '{"reason": "Both say 5.", "same": True}', {"reason": "Both say 5.", "same": True}),
    Malformed("Python's None", STEP, "{'output': 'O.', 'insights': None, 'open': [], 'confidence': 0.8}", {"output": "O.", "insights": [], "open": [], "confidence": 0.8}),
    Malformed("number without its zero", LINEAR, '{"thought": "Use port 5432.", "confidence": .8}', PORT),
    Malformed("closing brace missing", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8', PORT),
    Malformed("a brace too many", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8}}', PORT),
    Malformed("invalid escape", LINEAR, '{"thought": "Use \\port 5432.", "confidence": 0.8}', {"thought": "Use \\port 5432.", "confidence": 0.8}),
    Malformed("no outer braces", LINEAR, '"thought": "Use port 5432.",\n"confidence": 0.8', PORT),
    Malformed("dots for the rest", PROPOSE, '{"approaches": [{"name": "N", "approach": "A."}, ...]}', {"approaches": [{"name": "N", "approach": "A."}]}),
    # Numbers
    Malformed("number as text", LINEAR, '{"thought": "Use port 5432.", "confidence": "0.8"}', PORT),
    Malformed("percent as text", LINEAR, '{"thought": "Use port 5432.", "confidence": "80%"}', PORT),
    Malformed("percent without quotes", LINEAR, '{"thought": "Use port 5432.", "confidence": 80%}', PORT),
    Malformed("percent as a number", LINEAR, '{"thought": "Use port 5432.", "confidence": 80}', PORT),
    Malformed("fraction as text", LINEAR, '{"thought": "Use port 5432.", "confidence": "4/5"}', PORT),
    Malformed("fraction without quotes", LINEAR, '{"thought": "Use port 5432.", "confidence": 8/10}', PORT),
    Malformed("out of ten", LINEAR, '{"thought": "Use port 5432.", "confidence": "8 out of 10"}', PORT),
    Malformed("decimal comma", LINEAR, '{"thought": "Use port 5432.", "confidence": "0,8"}', PORT),
    Malformed("number and a word", LINEAR, '{"thought": "Use port 5432.", "confidence": "0.8 (high)"}', PORT),
    Malformed("a word and a number", LINEAR, '{"thought": "Use port 5432.", "confidence": "high (0.8)"}', PORT),
    Malformed("a number in a list", LINEAR, '{"thought": "Use port 5432.", "confidence": [0.8]}', PORT),
    Malformed("number in an object", LINEAR, '{"thought": "Use port 5432.", "confidence": {"value": 0.8}}', PORT),
    Malformed("integer as text", CHECK, '{"verdicts": [{"constraint": "1", "kept": "yes", "why": "It fits."}]}', {"verdicts": [{"constraint": 1, "kept": True, "why": "It fits."}]}),
    Malformed("truth value as text", SAME, '{"reason": "Both say 5.", "same": "True"}', {"reason": "Both say 5.", "same": True}),
    Malformed("numbers of memories as text", GROUND, '{"relation": "supported", "memories": ["1", "2"], "uncovered": [], "why": "Both say it."}', {"relation": "supported", "memories": [1, 2], "uncovered": [], "why": "Both say it."}),
    Malformed("scores out of 100", JUDGE, '{"scores": [{"label": "A", "score": 90}, {"label": "B", "score": 40}], "best": "A", "reason": "It is shorter."}', BEST),
    Malformed("label as a number", JUDGE, '{"scores": [{"label": 1, "score": 0.9}], "best": 1, "reason": "R."}', {"scores": [{"label": "1", "score": 0.9}], "best": "1", "reason": "R."}),
    # Enumerations
    Malformed("capital member", GROUND, '{"relation": "Silent", "memories": [], "uncovered": [], "why": "No word."}', SILENT),
    Malformed("member with a stop", GROUND, '{"relation": "silent.", "memories": [], "uncovered": [], "why": "No word."}', SILENT),
    Malformed("member with a blank", BIAS, '{"biases": [{"type": "Sunk cost", "quote": "we already paid", "severity": 0.6, "confidence": 0.7, "correction": "Compare what lies ahead."}]}', {"biases": [BIASED]}),
    Malformed("member that does not exist", GROUND, '{"relation": "likely", "memories": [], "uncovered": [], "why": "No word."}', None),
    # Lists and objects
    Malformed("list instead of its object", GENERATE, '[{"thought": "Use port 5432.", "confidence": 0.8}, {"thought": "Use a socket.", "confidence": 0.4}]', {"continuations": TWO}),
    Malformed("object instead of a list", GENERATE, '{"continuations": {"thought": "Use port 5432.", "confidence": 0.8}}', {"continuations": TWO[:1]}),
    Malformed("item instead of the whole", GENERATE, '{"thought": "Use port 5432.", "confidence": 0.8}', {"continuations": TWO[:1]}),
    Malformed("list by numbers", GENERATE, '{"continuations": {"1": {"thought": "Use port 5432.", "confidence": 0.8}, "2": {"thought": "Use a socket.", "confidence": 0.4}}}', {"continuations": TWO}),
    Malformed("objects in lines", GENERATE, '{"thought": "Use port 5432.", "confidence": 0.8}\n{"thought": "Use a socket.", "confidence": 0.4}\n', {"continuations": TWO}),
    Malformed("list of one object", LINEAR, '[{"thought": "Use port 5432.", "confidence": 0.8}]', PORT),
    Malformed("list of texts for a text", LINEAR, '{"thought": ["Use", "port 5432."], "confidence": 0.8}', {"thought": "Use\nport 5432.", "confidence": 0.8}),
    Malformed("text for a list of texts", STEP, '{"output": "O.", "insights": "I.", "open": [], "confidence": 0.8}', {"output": "O.", "insights": ["I."], "open": [], "confidence": 0.8}),
    Malformed("bullets for a list", STEP, '{"output": "O.", "insights": "- I.\\n- J.", "open": "", "confidence": 0.8}', {"output": "O.", "insights": ["I.", "J."], "open": [], "confidence": 0.8}),
    Malformed("list as JSON in a text", STEP, '{"output": "O.", "insights": "[\\"I.\\", \\"J.\\"]", "open": [], "confidence": 0.8}', {"output": "O.", "insights": ["I.", "J."], "open": [], "confidence": 0.8}),
    Malformed("blank items", STEP, '{"output": "O.", "insights": ["I.", "", null], "open": [" "], "confidence": 0.8}', {"output": "O.", "insights": ["I."], "open": [], "confidence": 0.8}),
    Malformed("too many items", STEP, '{"output": "O.", "insights": ["I.", "J.", "K."], "open": [], "confidence": 0.8}', {"output": "O.", "insights": ["I.", "J."], "open": [], "confidence": 0.8}),
    Malformed("objects for texts", STEP, '{"output": "O.", "insights": [{"insight": "I."}], "open": [], "confidence": 0.8}', {"output": "O.", "insights": ["I."], "open": [], "confidence": 0.8}),
    # Missing and null
    Malformed("null for an optional field", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8, "used": null, "lookup": null}', PORT),
    Malformed("an optional field that does not fit", SPLIT, '{"atomic": true, "reason": "R.", "confidence": 0.8, "sub_problems": [{"description": "D.", "effort": "some"}], "dependencies": []}', {"atomic": True, "reason": "R.", "confidence": 0.8, "sub_problems": [{"description": "D."}], "dependencies": []}),
    Malformed("null for a list", BIAS, '{"biases": null}', {"biases": []}),
    Malformed("list left out", STEP, '{"output": "O.", "confidence": 0.8, "insights": ["I."]}', {"output": "O.", "insights": ["I."], "open": [], "confidence": 0.8}),
    Malformed("text left out", LINEAR, '{"confidence": 0.8}', None),
    Malformed("scores left out", JUDGE, '{"scores": [], "best": "A", "reason": "It is shorter."}', None),
    Malformed("only a choice", ROUTE, '{"mode": "tree"}', None),
    Malformed("null for a text", LINEAR, '{"thought": null, "confidence": 0.8}', None),
    Malformed("its schema given back", LINEAR, '{"type": "object", "required": ["thought", "confidence"], "properties": {"thought": {"type": "string"}, "confidence": {"type": "number"}}}', None),
    Malformed("a placeholder for a number", LINEAR, '{"thought": "Use port 5432.", "confidence": "0.0 to 1.0"}', None),
    Malformed("confidence beyond its bound", LINEAR, '{"thought": "Use port 5432.", "confidence": 1.7}', None),
    Malformed("an error of the server's", LINEAR, '{"error": {"code": 500, "message": "overloaded"}}', None),
    Malformed("numbers only", LINEAR, "[1, 2, 3]", None),
    Malformed("a refusal", BIAS, "I cannot judge this text.", None),
    # Cut off
    Malformed("cut in a list of objects", GENERATE, '{"continuations": [{"thought": "Use port 5432.", "confidence": 0.8}, {"thought": "Use a soc', {"continuations": TWO[:1]}),
    Malformed("cut after a number", LINEAR, '{"thought": "Use port 5432.", "confidence": 0.8, "used": ["M1', {**PORT, "used": ["M1"]}),
    Malformed("cut before the choice", JUDGE, '{"scores": [{"label": "A", "score": 0.9}, {"la', None),
    Malformed("cut within its first word", LINEAR, '{"thou', None),
    Malformed("cut in a fence", GENERATE, '```json\n{"continuations": [\n  {"thought": "Use port 5432.", "confidence": 0.8},\n  {"thought": "Use a socket.", "confidence": 0.4}\n', {"continuations": TWO}),
)  # fmt: skip

LATER = (
    Malformed("yaml-ish",LINEAR,'thought: Use port 5432.\nconfidence: 0.8',None),
    Malformed("xml-wrapped",LINEAR,'<answer>{"thought": "Use port 5432.", "confidence": 0.8}</answer>',PORT),
    Malformed("python dict call",LINEAR,'dict(thought="Use port 5432.", confidence=0.8)',None),
    Malformed("bold keys",LINEAR,'{"**thought**": "Use port 5432.", "**confidence**": 0.8}',PORT),
    Malformed("backtick quotes",LINEAR,'{`thought`: `Use port 5432.`, `confidence`: 0.8}',None),
    Malformed("semicolon sep",LINEAR,'{"thought": "Use port 5432."; "confidence": 0.8}',PORT),
    Malformed("equals",LINEAR,'{"thought" = "Use port 5432.", "confidence" = 0.8}',None),
    Malformed("confidence stars",LINEAR,'{"thought": "Use port 5432.", "confidence": "4 out of 5"}',PORT),
    Malformed("percent word",LINEAR,'{"thought": "Use port 5432.", "confidence": "80 percent"}',PORT),
    Malformed("conf approx",LINEAR,'{"thought": "Use port 5432.", "confidence": "~0.8"}',PORT),
    Malformed("conf range",LINEAR,'{"thought": "Use port 5432.", "confidence": "0.7-0.9"}',None),
    Malformed("conf word",LINEAR,'{"thought": "Use port 5432.", "confidence": "high"}',None),
    Malformed("html entities",LINEAR,'{&quot;thought&quot;: &quot;Use port 5432.&quot;, &quot;confidence&quot;: 0.8}',None),
    Malformed("escaped whole",LINEAR,'{\\"thought\\": \\"Use port 5432.\\", \\"confidence\\": 0.8}',PORT),
    Malformed("two fences",LINEAR,'```json\n{"thought": "Draft.", "confidence": 0.2}\n```\nBetter:\n```json\n{"thought": "Use port 5432.", "confidence": 0.8}\n```',PORT),
    Malformed("trailing ellipsis",LINEAR,'{"thought": "Use port 5432.", "confidence": 0.8, ...}',PORT),
    Malformed("double comma",LINEAR,'{"thought": "Use port 5432.",, "confidence": 0.8}',PORT),
    Malformed("missing opening brace",LINEAR,'thought": "Use port 5432.", "confidence": 0.8}',None),
    Malformed("tab in text",LINEAR,'{"thought": "Use\tport 5432.", "confidence": 0.8}',{"thought":"Use\tport 5432.","confidence":0.8}),
    Malformed("result data",LINEAR,'{"status": "ok", "data": {"result": {"thought": "Use port 5432.", "confidence": 0.8}}}',PORT),
    Malformed("snake differs",SURE,'{"evidenceQuality": 0.8, "reasoningCoherence": "80%", "completeness": 0.8, "uncertaintyLevel": 0.2, "biasFreedom": 0.8, "warnings": "None", "recommendations": []}',{"evidence_quality":.8,"reasoning_coherence":.8,"completeness":.8,"uncertainty_level":.2,"bias_freedom":.8,"warnings":["None"],"recommendations":[]}),
    Malformed("scores map",JUDGE,'{"scores": {"A": 0.9, "B": 0.4}, "best": "A", "reason": "It is shorter."}',BEST),
    Malformed("scores pairs",JUDGE,'{"scores": [["A", 0.9], ["B", 0.4]], "best": "A", "reason": "It is shorter."}',BEST),
    Malformed("enum in sentence",GROUND,'{"relation": "The claim is silent", "memories": [], "uncovered": [], "why": "No word."}',None),
    Malformed("enum obj",GROUND,'{"relation": {"value": "silent"}, "memories": [], "uncovered": [], "why": "No word."}',SILENT),
    Malformed("memories csv",GROUND,'{"relation": "supported", "memories": "1, 2", "uncovered": [], "why": "W."}',{"relation":"supported","memories":[1,2],"uncovered":[],"why":"W."}),
    Malformed("bool int",SAME,'{"reason": "R.", "same": 1}',{"reason":"R.","same":True}),
    Malformed("bool no",SAME,'{"reason": "R.", "same": "No"}',{"reason":"R.","same":False}),
    Malformed("cut in 2nd list",SPLIT,'{"atomic": false, "reason": "R.", "confidence": 0.8, "sub_problems": [{"description": "D."}, {"description": "E."}], "dependencies": [{"before": 1, "af',{"atomic":False,"reason":"R.","confidence":0.8,"sub_problems":[{"description":"D."},{"description":"E."}],"dependencies":[]}),
    Malformed("numbered items",PROPOSE,'{"approaches": {"1": {"name": "N", "approach": "A."}}}',{"approaches":[{"name":"N","approach":"A."}]}),
)  # fmt: skip
