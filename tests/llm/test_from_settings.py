from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reasonloom.errors import SettingMistake
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.from_settings import choose_llm, why
from reasonloom.llm.offline.model import OfflineModel
from tests.llm.conftest import KEY, MakeSettings, ask


@pytest.mark.parametrize(
    ("given", "name", "reason"),
    [
        ({}, "offline", "neither REASONLOOM_LLM nor LANGBASE_API_KEY"),
        ({"langbase_api_key": KEY}, "langbase", "LANGBASE_API_KEY is set"),
        ({"langbase_api_key": KEY, "llm": "offline"}, "offline", "set by REASONLOOM_LLM"),
        ({"llm": "litellm:ollama/llama3:8b"}, "litellm:ollama/llama3:8b", "litellm:ollama"),
        ({"llm": " OFFLINE "}, "offline", "set by REASONLOOM_LLM"),
        ({"llm": "simulated:noisy"}, "offline", "simulated:noisy"),
    ],
)
def test_the_setting_then_langbase_then_offline(
    make_settings: MakeSettings, given: dict[str, str], name: str, reason: str
) -> None:
    settings = make_settings(**given)
    assert choose_llm(settings, {"noisy": OfflineModel}).name == name
    assert reason in why(settings)
    assert KEY not in why(settings)


async def test_record_then_replay_by_setting(make_settings: MakeSettings, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    recorder = choose_llm(
        make_settings(llm=f"record:{tape}:simulated:noisy"), {"noisy": OfflineModel}
    )
    recorded = await recorder.answer(ask(material={"content": "x"}))
    assert recorder.name == "record:tape.jsonl:offline"
    assert recorder.offline
    player = choose_llm(make_settings(llm=f"replay:{tape}"))
    assert await player.answer(ask()) == recorded


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ("ofline", "did you mean `offline`"),
        ("litelm:gpt", "did you mean `litellm:MODEL`"),
        ("litellm", "did you mean `litellm:MODEL`"),
        ("replay:", "did you mean `replay:FILE`"),
        ("record:tape.jsonl", "record:FILE:INNER"),
        ("record:tape.jsonl:nonsense", "is none of"),
        ("offline:yes", "is none of"),
        ("gpt-5", "is none of"),
        ("simulated:nosy", "did you mean `noisy`"),
    ],
)
def test_a_mistake_is_told_with_the_nearest_form(
    make_settings: MakeSettings, setting: str, hint: str
) -> None:
    with pytest.raises(SettingMistake) as caught:
        choose_llm(make_settings(llm=setting), {"noisy": OfflineModel})
    assert hint in caught.value.message
    assert caught.value.field == "REASONLOOM_LLM"


@pytest.mark.parametrize(
    ("setting", "model"),
    [
        ("wordllama", "wordllama-l2_supercat-256"),
        ("litellm:openai/text-embedding-3-small", "litellm-openai/text-embedding-3-small"),
        ("fastembed:BAAI/bge-small-en-v1.5", "fastembed-BAAI/bge-small-en-v1.5"),
    ],
)
def test_an_embedder_is_chosen(make_settings: MakeSettings, setting: str, model: str) -> None:
    assert choose_embedder(make_settings(embedder=setting)).model == model


@pytest.mark.parametrize("setting", ["wordlama", "fastembed", "wordllama:x", "minilm"])
def test_an_unknown_embedder_is_a_mistake(make_settings: MakeSettings, setting: str) -> None:
    with pytest.raises(SettingMistake, match="fastembed:MODEL") as caught:
        choose_embedder(make_settings(embedder=setting))
    assert caught.value.field == "REASONLOOM_EMBEDDER"


def test_choosing_imports_nothing_heavy() -> None:
    heavy = ["litellm", "langbase", "wordllama", "numpy", "httpx", "fastembed", "langchain_core"]
    code = (
        "import sys, reasonloom.llm.from_settings as c\n"
        "import reasonloom.llm.embedding.from_settings as e\n"
        "from reasonloom.settings import Settings\n"
        "e.choose_embedder(Settings(embedder='wordllama'))\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
