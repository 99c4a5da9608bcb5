"""A small eval to try: messages to a help desk, two versions of a prompt, and recorded replies.

The replies are scripted (`python -m tests.support.evals.example` wrote them): they differ between
the versions, so that a comparison has something to show, and say nothing about a language model.
"""

from pathlib import Path

from reasonloom.errors import InvalidArgument

FILES = Path(__file__).parent / "files"


def copy_example(folder: Path) -> list[Path]:
    """Copy the example's files into a new folder; return the copies.

    Raises:
        InvalidArgument: the folder exists, or cannot be made.
    """
    copies = []
    try:
        folder.mkdir(parents=True)
        for file in sorted(path for path in FILES.rglob("*") if path.is_file()):
            copy = folder / file.relative_to(FILES)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
            copies.append(copy)
    except FileExistsError:
        reason = f"folder: {folder.name} exists already; name another one"
        raise InvalidArgument(reason, field="folder") from None
    except OSError as error:
        reason = f"folder: {folder.name} cannot be made: {error.strerror}"
        raise InvalidArgument(reason, field="folder") from None
    return copies
