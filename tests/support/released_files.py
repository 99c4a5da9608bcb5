"""The files that a released version leaves with its users, made by its own command.

`python -m tests.support.released_files PROGRAM FOLDER` runs the `reasonloom` of a released version
with a local server that speaks OpenAI's protocol. It writes the recording, the answers it belongs
to, an eval's log, a folder of prompts, and the configuration files of hosts. Run once a release.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.clients.http_server import Handler, serving

RELEASED = Path(__file__).parents[1] / "packaging" / "released"
PROGRAM = "/opt/reasonloom/bin/reasonloom"
"""What the configuration files of hosts name instead of the program that made them."""

CALLS: dict[str, dict[str, Any]] = {
    "reasoning_linear": {"content": "When must we leave for the last train at 22:40?"},
    "reasoning_divergent": {"content": "Where should four of us eat tonight?"},
    "breakdown": {"problem": "Plan a walk home of two hours for four of us."},
    "analyze": {
        "problem": "Why did the deploy of Friday fail?",
        "preferredFramework": "root-cause-analysis",
    },
    "ponder": {"problem": "What makes a good evening out?"},
}
CASES = "".join(
    json.dumps({"id": f"n{n}", "input": f"What is {n} and {n}?", "target": str(2 * n)}) + "\n"
    for n in range(4)
)
EVAL = ("--by", "reasoning_linear", "--scorer", "contains")
PROMPT = "linear/continue"
HOSTS = {"claude-desktop": "claude_desktop_config.json", "codex": "config.toml"}


def filled(schema: dict[str, Any]) -> Any:
    """Return the plainest value of a JSON Schema, with a sentence for every text."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return filled(schema["anyOf"][0])
    kind = schema.get("type")
    if kind == "object":
        return {name: filled(of) for name, of in schema.get("properties", {}).items()}
    if kind == "array":
        return [filled(schema["items"])] * max(1, schema.get("minItems", 1))
    plain = {"string": "The last train decides: we leave at ten.", "boolean": True}
    return plain.get(str(kind), max(schema.get("minimum", 1), 1))


class Completions(Handler):
    """Answers every chat completion with the requested schema, filled in."""

    def reply(self) -> None:
        asked = json.loads(self.body())
        form = asked.get("response_format", {}).get("json_schema", {}).get("schema")
        text = json.dumps(filled(form)) if form else "We leave at ten."
        choice = {"index": 0, "finish_reason": "stop"}
        choice["message"] = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"]}
        self.answer(json.dumps({**body, "choices": [choice], "usage": usage}).encode())


def make(program: str, folder: Path) -> None:
    """Fill `folder` with the files of the version that `program` is."""
    (folder / "prompts").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch, serving(Completions) as url:
        home = Path(scratch)
        home.chmod(0o755)
        given = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "REASONLOOM_HOME": str(home / "ours"),
            "REASONLOOM_PROMPTS": str(folder / "prompts"),
            "REASONLOOM_LLM": f"record:{folder / 'recording.jsonl'}:litellm:openai/gpt-4o",
            "OPENAI_API_KEY": "none",
            "OPENAI_API_BASE": f"{url}/v1",
        }

        def run(*arguments: str, **more: str) -> str:
            done = subprocess.run(
                [program, *arguments],
                env={**given, **more}, cwd=home, check=False, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout
            return done.stdout

        answers = {tool: json.loads(run("call", tool, json.dumps(CALLS[tool]))) for tool in CALLS}
        (folder / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")
        (folder / "cases.jsonl").write_text(CASES)
        evaluate = ("eval", "run", str(folder / "cases.jsonl"), *EVAL)
        run(*evaluate)
        shutil.rmtree(home / "ours" / "evals")
        run(*evaluate, REASONLOOM_LLM=f"replay:{folder / 'recording.jsonl'}")
        (log,) = (home / "ours" / "evals").glob("*.jsonl")
        shutil.copy(log, folder / "eval.jsonl")
        run("prompts", "new", PROMPT)
        for host, file in HOSTS.items():
            run("install", host, "--yes")
            (written,) = [path for path in home.rglob(file) if "ours" not in path.parts]
            (folder / file).write_text(written.read_text().replace(program, PROGRAM))
        run("hooks", "install", "--yes", "--settings", str(home / "settings.json"))
        hooks = (home / "settings.json").read_text()
        (folder / "settings.json").write_text(hooks.replace(program, PROGRAM))


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]))
