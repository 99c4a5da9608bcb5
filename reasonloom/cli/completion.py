"""`reasonloom completion`: the script that lets a shell complete commands and options."""

from enum import StrEnum
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

PROGRAM = "reasonloom"


class Shell(StrEnum):
    """The supported shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
    """Print a shell's completion script.

    Add one of these lines to the shell's startup file:

    bash: eval "$(reasonloom completion bash)"

    zsh: eval "$(reasonloom completion zsh)"

    fish: reasonloom completion fish | source
    """
    typer.echo(
        get_completion_script(
            prog_name=PROGRAM, complete_var=f"_{PROGRAM.upper()}_COMPLETE", shell=shell.value
        )
    )
