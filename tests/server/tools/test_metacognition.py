"""The four checks as a client sees them over stdio: shapes, defaults, mistakes, what changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from mcp import StdioServerParameters

from reasonloom.contracts.metacognition import Emotion, Intensity
from tests.server.protocol.test_bad_input import INSIDES
from tests.support.clients.processes import command
from tests.support.clients.sdk import Held, held
from tests.support.contracts.references import facts_of, shape_faults
from tests.support.databases.rows import Rows

TOOLS = ("assess_confidence", "detect_bias", "detect_emotion", "evaluate")
MIB = 1_048_576
SOUND = (
    "Checkout errors rose from 1% to 6% on Tuesday. Only the payment service changed that day, and "
    "rolling it back on two of four servers brought those two back to 1% while the others stayed "
    "at 6%. So the release probably caused the errors, unless the load differed between them."
)
EMPTY_HANDED = "This is obviously the best plan. Everyone knows that it will always work."
NONSENSE = "asdf qwer zxcv"
FRENCH = "Je suis tellement heureux! Nous avons gagné, et tout le monde chante dans la rue."


@pytest.fixture(scope="module")
def client(every_tool: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """A client of a server without a language model."""
    program, *arguments = command()
    folder = tmp_path_factory.mktemp("client")
    server = StdioServerParameters(command=program, args=arguments, env=every_tool, cwd=folder)
    with held(server, "auto") as opened:
        yield opened


def call_tool(client: Held, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; return the whole envelope."""
    result = client.call(tool, arguments)
    assert not result.is_error, result
    found: dict[str, Any] = result.structured_content
    return found


def data_of(client: Held, tool: str, **arguments: Any) -> dict[str, Any]:
    data: dict[str, Any] = call_tool(client, tool, **arguments)["data"]
    return data


@pytest.mark.parametrize("tool", TOOLS)
def test_the_references_example_is_answered_in_its_shape(client: Held, tool: str) -> None:
    facts = facts_of("thought", tool)
    (request,), (shape,) = facts["requests"], facts["answers"]
    found = call_tool(client, tool, **request)
    empty = {f"answer.data.{key}" for key in ("biases", "strengths", "warnings")}
    faults = [each for each in shape_faults(shape, found) if each.split(":")[0] not in empty]
    assert faults == []
    assert found["success"] is True
    assert found["metadata"]["processingTime"] > 0
    assert set(shape["metadata"]) <= set(found["metadata"])
    assert "languageModel" not in found["metadata"]["componentsUsed"]
    assert "No language model" in found["data"]["suggestion"]


def test_emotions_have_the_references_names_and_bands(client: Held) -> None:
    found = data_of(client, "detect_emotion", text="I am so happy and grateful, thank you all!")
    assert set(found["circumplex"]) == {"valence", "arousal", "dominance", "confidence"}
    names, bands = Emotion.__args__, Intensity.__args__  # type: ignore[attr-defined]
    assert set(found["discrete"]) == {"primary", "emotions", "confidence"}
    assert found["discrete"]["primary"] in {*names, "none"}
    for each in found["discrete"]["emotions"]:
        assert set(each) == {"emotion", "score", "intensity"}
        assert (each["emotion"] in names, each["intensity"] in bands) == (True, True)
    without = data_of(client, "detect_emotion", text="I am so happy.", includeDiscrete=False)
    assert without["discrete"] is None


@pytest.mark.parametrize("confidence", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("emotion", [True, False])
def test_evaluate_answers_the_parts_that_were_asked_for(
    client: Held, confidence: bool, bias: bool, emotion: bool
) -> None:
    flags = {"includeConfidence": confidence, "includeBias": bias, "includeEmotion": emotion}
    found = call_tool(client, "evaluate", reasoning=SOUND, **flags)
    for key, wanted in (("confidence", confidence), ("biases", bias), ("emotion", emotion)):
        assert (found["data"].get(key) is not None) is wanted
    used = found["metadata"]["componentsUsed"]
    assert used == [
        "reasoningEvaluator",
        *["confidenceAssessor"] * confidence,
        *["biasDetector"] * bias,
        *["emotionAnalyzer", "discreteEmotionClassifier"] * emotion,
    ]


def test_what_is_left_out_has_the_references_default(client: Held) -> None:
    found = data_of(client, "evaluate", reasoning=SOUND)
    assert ("confidence" in found, "biases" in found, "emotion" in found) == (True, True, False)
    assert data_of(client, "detect_bias", reasoning=SOUND)["monitoringActive"] is False
    assert "discrete" in data_of(client, "detect_emotion", text="I am so happy.")
    null = data_of(
        client, "detect_emotion", text="I am so happy.", includeDiscrete=None, context=None
    )
    assert "discrete" in null


def test_evaluate_hangs_on_what_it_is_given(client: Held) -> None:
    texts = (SOUND, EMPTY_HANDED, NONSENSE, FRENCH)
    found = {text: data_of(client, "evaluate", reasoning=text) for text in texts}
    sound, empty, nonsense = (found[text] for text in texts[:3])
    for one, other in ((sound, empty), (sound, nonsense), (empty, nonsense)):
        assert one["quality"] != other["quality"]
        assert one["weaknesses"] != other["weaknesses"]
        assert one["confidence"]["overallConfidence"] != other["confidence"]["overallConfidence"]
    assert not nonsense["strengths"]
    assert not found[FRENCH]["strengths"]
    assert sound["quality"]["evidenceSupport"] > empty["quality"]["evidenceSupport"]
    assert "“Everyone knows that it will always work.” allows no doubt" in str(empty["weaknesses"])
    for text in (SOUND, EMPTY_HANDED):
        for finding in found[text]["findings"]:
            for span in finding["spans"]:
                assert text[span["start"] : span["end"]] == span["text"]


def test_context_that_is_not_taken_up_is_told(client: Held) -> None:
    without = data_of(client, "evaluate", reasoning=SOUND)
    about = data_of(client, "evaluate", reasoning=SOUND, context="Refunds for holiday customers")
    assert about["quality"]["completeness"] < without["quality"]["completeness"]
    assert "refunds, holiday, customers" in str(about["weaknesses"])


def test_words_without_sense_are_not_relied_on(client: Held) -> None:
    found = data_of(
        client, "assess_confidence", reasoning="banana banana banana banana",
        evidence=["a", "b", "c", "d", "e"],
    )  # fmt: skip
    assert found["overallConfidence"] < 0.5
    assert data_of(client, "assess_confidence", reasoning=NONSENSE)["overallConfidence"] < 0.5


def test_evidence_that_speaks_of_the_claim_counts_and_is_quoted(client: Held) -> None:
    claim = "So the optimization will improve throughput by 40%."
    spoken = ["The benchmark shows that the optimization improves throughput by 40%."]
    bare = data_of(client, "assess_confidence", reasoning=claim)
    backed = data_of(client, "assess_confidence", reasoning=claim, evidence=spoken)
    beside = data_of(client, "assess_confidence", reasoning=claim, evidence=["Lunch was late."])
    assert backed["claims"][0]["supportedBy"] == spoken
    assert beside["claims"][0]["supportedBy"] == []
    quality = [each["dimensions"]["evidenceQuality"] for each in (backed, bare, beside)]
    assert quality[0] > quality[1] >= quality[2]


@pytest.mark.parametrize(
    "text",
    ["I am not happy at all. This is not good.", "Oh great, another outage. Just wonderful."],
)
def test_what_is_denied_or_meant_otherwise_is_no_joy(client: Held, text: str) -> None:
    found = data_of(client, "detect_emotion", text=text)
    assert found["discrete"]["primary"] != "joy"
    for cue in found["cues"]:
        assert text[cue["start"] : cue["end"]] == cue["text"]


def test_a_denied_joy_is_not_pleasant(client: Held) -> None:
    text = "I am not happy at all. This is not good."
    found = data_of(client, "detect_emotion", text=text)
    assert found["circumplex"]["valence"] <= 0
    assert [cue["negated"] for cue in found["cues"] if cue["emotion"] == "joy"] != [False]


def test_french_gets_no_label(client: Held) -> None:
    felt = data_of(client, "detect_emotion", text=FRENCH)
    assert (felt["language"], felt["supported"]) == ("fr", False)
    assert felt["discrete"] == {"primary": "none", "emotions": [], "confidence": 0.0}
    found = call_tool(client, "detect_bias", reasoning=FRENCH)
    assert found["data"]["biases"] == []
    assert any("English only" in note for note in found["metadata"]["notes"])


def test_monitoring_follows_the_argument_and_compares(client: Held) -> None:
    first = data_of(client, "detect_bias", reasoning=SOUND, monitorContinuously=True)
    again = data_of(client, "detect_bias", reasoning=SOUND, monitorContinuously=True)
    assert (first["monitoringActive"], again["monitoringActive"]) == (True, True)
    assert again["changes"]["calls"] == first["changes"]["calls"] + 1
    assert again["changes"]["told"]
    off = data_of(client, "detect_bias", reasoning=SOUND, monitorContinuously=False)
    assert (off["monitoringActive"], "changes" in off) == (False, False)


@pytest.mark.parametrize("tool", TOOLS)
def test_mistakes_are_told_in_the_references_words_and_nothing_is_stored(
    client: Held, tool: str, rows: Rows
) -> None:
    name = "text" if tool == "detect_emotion" else "reasoning"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, f"Missing required parameter: {name}"),
        ({name: None}, f"Missing required parameter: {name}"),
        ({name: ""}, "cannot be empty"),
        ({name: " \n\t"}, "cannot be empty"),
        ({name: "a" * MIB}, "100000"),
        ({name: {"a": 1}}, name),
        ({name: ["a", "b"]}, name),
        ({name: "a", "mode": "x"}, "mode"),
    ]
    flags = {"detect_bias": "monitorContinuously", "detect_emotion": "includeDiscrete"}
    flags |= {"evaluate": "includeBias"}
    values: list[Any]
    if tool in flags:
        values = ["perhaps", 2, []]
        wrong += [({name: "a", flags[tool]: value}, flags[tool]) for value in values]
    else:
        values = [{"a": 1}, [{}], [""], ["a"] * 51]
        wrong += [({name: "a", "evidence": value}, "evidence") for value in values]
    before = rows.settled()
    for arguments, words in wrong:
        result = client.call(tool, arguments)
        found = result.structured_content
        assert (result.is_error, found["success"]) == (True, False)
        assert words.lower() in found["error"].replace(",", "").lower(), found["error"]
        assert found["suggestion"]
        assert not INSIDES.search(found["error"])
        assert len(found["error"]) < 500
    assert rows.settled() == before


def test_the_greatest_text_is_answered_and_says_what_was_left(client: Held) -> None:
    text = ("We measured it twice, so the pump is fine, but we may be wrong. " * 2_000)[:100_000]
    for tool in TOOLS:
        name = "text" if tool == "detect_emotion" else "reasoning"
        found = call_tool(client, tool, **{name: text})
        assert any("first 400 sentences" in note for note in found["metadata"]["notes"])
