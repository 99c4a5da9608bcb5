"""Numbers with their nouns."""


def counted(number: int, what: str, plural: str | None = None) -> str:
    """Return `1 memory` or `2 memories`; `plural` is an irregular one."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {plural or (f'{what[:-1]}ies' if what.endswith('y') else f'{what}s')}"
