"""`reasonloom prompts`: lists, shows, compares, renders and checks prompts in versions."""

import json
import re
from difflib import unified_diff
from pathlib import Path
from typing import Annotated, Any

import typer

from reasonloom.cli.arguments import parse_prompt
from reasonloom.errors import InvalidArgument
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.prompts.registry import lint as linted
from reasonloom.prompts.template import PromptTemplate
from reasonloom.prompts.validation import first_version, next_version
from reasonloom.settings import load_settings

OWN_NAME = re.compile(r"[a-z0-9_]+(?:/[a-z0-9_]+)+")
"""A name whose first part is that of a folder."""

Folder = Annotated[
    Path | None, typer.Option(help="Your folder of prompts.", show_default="REASONLOOM_PROMPTS")
]
Prompt = Annotated[str, typer.Argument(help="NAME or NAME=VERSION, such as tree/propose=v2.")]


def list_(folder: Folder = None) -> None:
    """List prompts with their versions; `*` marks those in your folder."""
    registry = _registry(folder)
    for name in registry.names():
        versions = [_version(registry, name, each) for each in registry.versions(name)]
        typer.echo(f"{name}  {' '.join(versions)}")


def show(prompt: Prompt, folder: Folder = None) -> None:
    """Print the file of a prompt."""
    typer.echo(_template(_registry(folder), prompt).text, nl=False)


def new(prompt: Prompt, folder: Folder = None) -> None:
    """Copy a prompt to your folder as its next version, or begin your own, such as own/answer."""
    own = _own_folder(folder)
    registry = _registry(own if own.is_dir() else None)
    if _is_own(registry, prompt):
        path = own / f"{prompt}.v1.md"
        _write(path, first_version(prompt))
        typer.echo(str(path))
        typer.echo(
            f"{prompt} v1 has one variable, question; edit it, then `reasonloom prompts lint`",
            err=True,
        )
        return

    template = _template(registry, prompt)
    name = template.about.name
    number = max(registry.versions(name)) + 1
    path = own / f"{name}.v{number}.md"
    _write(path, next_version(template.text, number))
    typer.echo(str(path))
    typer.echo(
        f"{name} v{number} is now used wherever REASONLOOM_PROMPTS names this folder;"
        f" compare first: reasonloom eval run SUITE --prompt {name}=v{number}"
        f" --prompt {name}=v{template.about.version}",
        err=True,
    )


def diff(
    prompt: Prompt,
    other: Annotated[
        str, typer.Argument(help="The other prompt, or its version.", show_default="the newest")
    ] = "",
    folder: Folder = None,
) -> None:
    """Compare two versions of a prompt; by default the two newest."""
    registry = _registry(folder)
    name, version = parse_prompt(prompt)
    if not other:
        previous, newest = _last_two(registry, name)
        prompt, other = f"{name}={version or previous}", str(newest)
    second = f"{name}={other}" if other.removeprefix("v").isdecimal() else other
    one, two = _template(registry, prompt), _template(registry, second)
    for line in unified_diff(
        one.text.splitlines(), two.text.splitlines(), _label(one), _label(two), lineterm=""
    ):
        typer.echo(line)


def _last_two(registry: PromptRegistry, name: str) -> tuple[int, int]:
    registry.get(name)
    versions = sorted(registry.versions(name))
    if len(versions) == 1:
        raise InvalidArgument(
            f"prompt: {name} has only v{versions[0]}; `reasonloom prompts new {name}` begins the"
            " next version",
            field="prompt",
        )
    return versions[-2], versions[-1]


def render(
    prompt: Prompt,
    var: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A variable; JSON where it is any, else text."),
    ] = None,
    variables: Annotated[
        Path | None, typer.Option("--vars", help="A JSON file with an object of variables.")
    ] = None,
    folder: Folder = None,
) -> None:
    """Print the messages of a prompt with its variables filled in."""
    template = _template(_registry(folder), prompt)
    rendered = template.render(**{**_read(variables), **_parse_variables(var or [])})
    typer.echo(f"--- system\n{rendered.system}\n--- user\n{rendered.user}")
    if rendered.schema is not None:
        typer.echo(f"--- answer\n{json.dumps(rendered.schema, indent=2, ensure_ascii=False)}")


def lint(folder: Folder = None) -> None:
    """Check the prompts in your folder; exit code 1 if anything is wrong."""
    own = _own_folder(folder)
    found = linted(own)
    for place, what in found:
        typer.echo(f"{place}: {what}")
    if found:
        raise typer.Exit(1)
    typer.echo("nothing is wrong")


def _registry(folder: Path | None) -> PromptRegistry:
    return PromptRegistry(folder or load_settings().prompts)


def _is_own(registry: PromptRegistry, prompt: str) -> bool:
    """Return whether a prompt is new and of a folder that is not packaged, so no misspelled one."""
    topics = {each.partition("/")[0] for each in registry.names() if registry.is_packaged(each)}
    new = OWN_NAME.fullmatch(prompt) is not None and prompt not in registry.names()
    return new and prompt.partition("/")[0] not in topics


def _own_folder(folder: Path | None) -> Path:
    own = folder or load_settings().prompts
    if own is None:
        raise InvalidArgument(
            "folder: set REASONLOOM_PROMPTS to a folder of your own, or name it by --folder",
            field="folder",
        )
    return own


def _write(path: Path, text: str) -> None:
    """Write a new file, creating missing folders."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InvalidArgument(
            f"folder: {path.name} cannot be written there: {error.strerror}", field="folder"
        ) from None


def _template(registry: PromptRegistry, prompt: str) -> PromptTemplate:
    return registry.get(*parse_prompt(prompt))


def _version(registry: PromptRegistry, name: str, version: int) -> str:
    own = registry.get(name, version).packaged is not None or not registry.is_packaged(name)
    return f"v{version}{'*' if own else ''}"


def _label(template: PromptTemplate) -> str:
    return f"{template.about.name}=v{template.about.version}"


def _parse_variables(given: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in given:
        name, sign, text = each.partition("=")
        if not name or not sign or name in found:
            raise InvalidArgument("--var: must be NAME=VALUE, each name once", field="var")
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def _read(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise InvalidArgument(f"--vars: {path.name} is no file with a JSON object", field="vars")
    return found
