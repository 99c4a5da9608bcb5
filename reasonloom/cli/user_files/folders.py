"""The folders in which hosts keep their settings and transcripts."""

from pathlib import Path

from platformdirs import user_config_path

from reasonloom.errors import InvalidArgument
from reasonloom.settings import environment, load_settings


def user_home() -> Path:
    """Return the user's home.

    Raises:
        InvalidArgument: the system knows none.
    """
    try:
        return Path.home()
    except RuntimeError:
        message = "HOME: not set, and the system knows no home of this user; set it to a folder"
        raise InvalidArgument(f"{message}, such as HOME=/home/ana", field="home") from None


def claude_home() -> Path:
    """Return Claude Code's folder."""
    return load_settings().claude_config_dir or user_home() / ".claude"


def codex_home() -> Path:
    """Return Codex's folder."""
    given = environment().get("CODEX_HOME")
    return Path(given) if given else user_home() / ".codex"


def cursor_recordings() -> Path:
    """Return our folder of what hooks of Cursor recorded."""
    return load_settings().home / "recordings" / "cursor"


def vscode_home() -> Path:
    """Return VS Code's folder of a user's settings and of the storage of its extensions."""
    given = environment().get("VSCODE_PORTABLE")
    data = Path(given) / "user-data" if given else user_config_path("Code", appauthor=False)
    return data / "User"


def gemini_home() -> Path:
    """Return Gemini CLI's folder."""
    given = environment().get("GEMINI_CLI_HOME")
    return (Path(given) if given else user_home()) / ".gemini"
