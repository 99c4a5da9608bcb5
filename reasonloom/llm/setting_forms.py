"""Parses settings of the form `kind:argument`, and lists the valid forms in error messages."""

from collections.abc import Iterable
from difflib import get_close_matches

from reasonloom.errors import SettingMistake


def split_kind(setting: str) -> tuple[str, str]:
    """Return kind and argument, empty if there is none; `A:b:c` gives `a` and `b:c`."""
    kind, _, argument = setting.strip().partition(":")
    return kind.strip().lower(), argument.strip()


def unknown_form(variable: str, given: str, forms: Iterable[str]) -> SettingMistake:
    """Return the error for a setting of an unknown kind or without its argument.

    Args:
        variable: the environment variable at fault.
        given: its value.
        forms: every valid form, such as `litellm:MODEL`.
    """
    known = list(forms)
    kinds = {form.partition(":")[0]: form for form in known}
    near = get_close_matches(split_kind(given)[0], kinds, n=1)
    hint = f"; did you mean `{kinds[near[0]]}`?" if near else ""
    return SettingMistake(
        f"{variable}: `{given[:80]}` is none of {', '.join(known)}{hint}", field=variable
    )


def one_of(name: str, known: Iterable[str]) -> str:
    """Return a clause that suggests the name nearest to `name`, or lists up to ten known ones."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"known: {', '.join(names[:10])}" if names else "none is known here"
