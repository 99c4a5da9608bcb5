"""Pluralises nouns after numbers."""


def counted(number: int, what: str, plural: str | None = None) -> str:
    """Return a number with its noun, such as `2 memories`; `plural` is an irregular plural."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {plural or (f'{what[:-1]}ies' if what.endswith('y') else f'{what}s')}"
