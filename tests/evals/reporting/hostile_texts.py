"""Texts that would run, hide, turn or break a page or a terminal, were they not shown as text."""

from __future__ import annotations

from reasonloom.evals.core.item import Item

SCRIPT = '<script>window.owned = 1; document.title = "owned"</script>'
ENDING = f"</pre></script></style></textarea><!-- {SCRIPT}"
PICTURE = '<img src="https://example.invalid/x.png" onerror="window.owned = 1">'
ATTRIBUTE = '" onmouseover="window.owned = 1" autofocus onfocus="window.owned = 1" x="'
STEERING = "\x1b[2J\x1b[31mred\x00 \x07 \u202egnp.exe\u2066 \U000e0068\U000e0069 \ud800 a\u2028b\rc"
TEMPLATE = "{{ 7 * 7 }}{% for x in range(9) %}{{ x }}{% endfor %}"
LONG = "https://example.invalid/" + "x" * 30_000
ARABIC = "مرحبا بالعالم, שלום 1 2 3"
HEAPED = "z" + "\u0301" * 300

ALL = (SCRIPT, ENDING, PICTURE, ATTRIBUTE, STEERING, TEMPLATE, LONG, ARABIC, HEAPED)


def items() -> list[Item]:
    """Return items that ask these and are named by them."""
    named = [text.replace("\0", "").replace("\ud800", "")[:60] for text in ALL]
    return [
        Item(f"{name} {n}", text, "1")
        for n, (name, text) in enumerate(zip(named, ALL, strict=True))
    ]
