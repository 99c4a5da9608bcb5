"""Writes what Python tools read of the library: the methods' stub, and the module of models.

`python -m tests.support.library_files` writes both from the contracts.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from reasonloom.contracts.runs import NeedsAnswers
from reasonloom.library.tool_table import TOOLS, positional_names, required_names
from reasonloom.server.toolsets.toolset import ToolLine

PACKAGE = Path(__file__).parents[2] / "reasonloom"
STUB, MODELS = PACKAGE / "library" / "tool_methods.pyi", PACKAGE / "models.py"
HEAD = "# Written by `make snapshots` from the contracts.\n"


def models_within(annotation: Any) -> list[type[BaseModel]]:
    """Return the models in an annotation, and those in their fields."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = [each.annotation for each in annotation.model_fields.values()]
        return [annotation, *(model for each in inner for model in models_within(each))]
    return [model for each in get_args(annotation) for model in models_within(each)]


def type_text(annotation: Any, *, optional: bool = False) -> str:
    """Return an annotation as source; a model may also be given as a dict."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_text(args[0], optional=optional)
    if origin in (Union, types.UnionType):
        parts = [type_text(each) for each in args if each is not type(None)]
        some = optional or type(None) in args
        text = " | ".join(dict.fromkeys(parts))
        return f"{text} | None" if some else text
    if origin is Literal:
        text = f"Literal[{', '.join(map(repr, args))}]".replace("'", '"')
    elif origin is not None:
        text = f"{origin.__name__}[{', '.join(map(type_text, args))}]"
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        text = f"{annotation.__name__} | dict[str, Any]"
    else:
        text = "Any" if annotation is Any else annotation.__name__
    return f"{text} | None" if optional and text != "Any" else text


def method(line: ToolLine, *, sync: bool) -> str:
    """Return a tool's method as source."""
    fields = line.request.model_fields
    required, positional = required_names(line), positional_names(line)

    def parameter(name: str) -> str:
        annotation = fields[name].annotation
        if name in required:
            return f"{name}: {type_text(annotation)}"
        return f"{name}: {type_text(annotation, optional=True)} = None"

    by_name = [name for name in fields if name not in positional]
    parameters = ["self", *map(parameter, positional), "*", *map(parameter, by_name)]
    parameters.append("idempotency_key: str | None = None")
    answer = line.answer.__name__ + (f" | {NeedsAnswers.__name__}" if line.open_world else "")
    head = "" if sync else "async "
    doc = inspect.cleandoc(line.request.__doc__ or "").replace("\n", "\n        ")
    return f'    {head}def {line.name}({", ".join(parameters)}) -> {answer}:\n        """{doc}"""\n'


def all_models() -> list[type[BaseModel]]:
    """Return the answers, and the objects within requests, by name."""
    given = [
        each.annotation for line in TOOLS.values() for each in line.request.model_fields.values()
    ]
    answers = [line.answer for line in TOOLS.values()]
    found: set[type[BaseModel]] = {
        NeedsAnswers,
        *answers,
        *(model for each in given for model in models_within(each)),
    }
    assert len({model.__name__ for model in found}) == len(found)
    return sorted(found, key=lambda model: model.__name__)


def imports(models: list[type[BaseModel]]) -> str:
    """Return statements that import models from their modules."""
    names: dict[str, list[str]] = {}
    for model in models:
        names.setdefault(model.__module__, []).append(model.__name__)
    return "\n".join(f"from {module} import {', '.join(each)}" for module, each in names.items())


def stub() -> str:
    """Return the stub of the tools' methods."""
    classes = []
    for name, sync in (("ToolMethods", False), ("SyncToolMethods", True)):
        methods = "\n".join(method(line, sync=sync) for line in TOOLS.values())
        classes.append(f"class {name}:\n{methods}")
    body = "\n".join(classes)
    head = "from typing import Any, Literal\n\n"
    return formatted(HEAD + head + imports(all_models()) + "\n\n" + body, STUB)


def models_module() -> str:
    """Return the module that exports all models."""
    doc = (
        '"""The models of answers, and of objects in requests; written by `make snapshots`."""\n\n'
    )
    names = ", ".join(f'"{model.__name__}"' for model in all_models())
    return formatted(f"{doc}{imports(all_models())}\n\n__all__ = [{names}]\n", MODELS)


def formatted(source: str, path: Path) -> str:
    """Return source as ruff formats and sorts it."""
    for command in (["check", "--select", "I", "--fix-only", "-q"], ["format", "-q"]):
        source = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"],
            input=source, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    return source


if __name__ == "__main__":
    STUB.write_text(stub())
    MODELS.write_text(models_module())
