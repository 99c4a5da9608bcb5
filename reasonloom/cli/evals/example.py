"""`reasonloom eval example`: copies a small eval with recorded replies."""

from pathlib import Path
from typing import Annotated

import typer

from reasonloom.evals.example import copy_example

DEFAULT = Path("reasonloom-example")
NEXT = """\
Compare its two prompts (no language model, no network):
  cd {folder} && REASONLOOM_PROMPTS=prompts reasonloom eval run support.yaml"""


def example(folder: Annotated[Path, typer.Argument(help="The new folder.")] = DEFAULT) -> None:
    """Copy a small eval with recorded replies to a new folder, to try a comparison."""
    for copy in copy_example(folder):
        typer.echo(str(copy))
    typer.echo(NEXT.format(folder=folder), err=True)
