"""A host's configuration keeps all that is not ours, to the letter, in each of its forms."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.cli.install.entry import public_texts
from reasonloom.cli.user_files.formats import (
    ConfigFormat,
    JsonFormat,
    TomlFormat,
    add_entry,
    find_entry,
    remove_entry,
)
from reasonloom.errors import InvalidArgument

ENTRY = {
    "command": "/opt/r/bin/reasonloom",
    "args": ["serve"],
    "env": {"REASONLOOM_LLM": "offline"},
}
OTHERS = {"other": {"command": "x", "args": ["a//b", "/* no comment */", "c,}"]}}
STRICT, LOOSE, TOML = JsonFormat(), JsonFormat(comments=True), TomlFormat()
KEYS = st.text(max_size=5).filter(lambda key: key not in ("servers", "reasonloom"))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("// no, */"),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(KEYS, held, max_size=3),
    max_leaves=8,
)
INDENTS: list[int | str] = [2, 4, "\t"]
COMMENTS = st.sampled_from(["", ' // a "note", }', " /* two\n lines, ] */", "/**/"])


@st.composite
def commented(draw: st.DrawFn) -> str:
    """Return a text as an editor reads it: comments and trailing commas in any place."""
    document: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    if draw(st.booleans()):
        document["servers"] = draw(st.dictionaries(KEYS, st.just(OTHERS["other"]), max_size=2))
    lines = json.dumps(document, indent=draw(st.sampled_from(INDENTS))).split("\n")
    if draw(st.booleans()):
        lines = [
            line + ("," if line[-1] not in "{[," and follows.strip(" \t,") in ("}", "]") else "")
            for line, follows in zip(lines, [*lines[1:], ""], strict=True)
        ]
    text = "\n".join(line + draw(COMMENTS) for line in lines) + draw(st.sampled_from(["", "\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff", "// first\n"])) + text


@given(commented())
def test_comments_and_all_that_is_not_ours_stay(text: str) -> None:
    before = LOOSE.read(text)
    new = add_entry(LOOSE, text, "servers", ENTRY)
    after = LOOSE.read(new)
    assert after["servers"].pop("reasonloom") == ENTRY
    assert after == {"servers": {}} | before
    assert is_within(text, new)
    assert add_entry(LOOSE, new, "servers", ENTRY) == new
    assert remove_entry(LOOSE, new, "servers", text) == text
    left = remove_entry(LOOSE, new, "servers", new) or ""
    assert LOOSE.read(left) == {"servers": {}} | before
    assert left.count("//") == text.count("//")
    assert left.count("/*") == text.count("/*")


def is_within(old: str, new: str) -> bool:
    """Tell whether `new` is `old` with something added: no character is lost or moved."""
    rest = iter(new)
    return all(character in rest for character in old)


OPEN = '{\n  "servers": {\n'
X = '    "reasonloom": {\n      "x": 1\n    }'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f'{OPEN}    "a": {{}}, // mine\n  }},\n}}\n',
            f'{OPEN}    "a": {{}}, // mine\n{X}\n  }},\n}}\n',
        ),
        (f'{OPEN}    "a": {{}} // mine\n  }}\n}}', f'{OPEN}    "a": {{}}, // mine\n{X}\n  }}\n}}'),
        ('{"servers":{"a":{}}}', '{"servers":{"a":{},"reasonloom":{"x":1}}}'),
        ("", f"{OPEN}{X}\n  }}\n}}\n"),
        ("{ // none yet\n}", "{ // none yet" + f"{OPEN}{X}\n  }}\n}}"[1:]),
    ],
)
def test_what_is_added_has_the_manner_of_its_neighbours(text: str, expected: str) -> None:
    assert add_entry(LOOSE, text, "servers", {"x": 1}) == expected


def test_an_entry_of_ours_is_brought_up_to_date_and_keeps_what_the_user_added() -> None:
    text = (
        '{"mcpServers": {"reasonloom": {\n  "command": "/old", "args": ["serve"],\n'
        '  "env": {"KEY": "theirs", "REASONLOOM_LLM": "x"}, "disabled": true}}}'
    )
    new = add_entry(STRICT, text, "mcpServers", ENTRY)
    assert new == text.replace("/old", "/opt/r/bin/reasonloom").replace('"x"', '"offline"')


@pytest.mark.parametrize("form", [STRICT, LOOSE, TOML])
def test_a_file_that_we_made_goes_and_one_that_holds_more_stays(form: ConfigFormat) -> None:
    new = add_entry(form, "", "servers", ENTRY)
    assert remove_entry(form, new, "servers", None) is None
    more = form.put(new, ("servers", "other"), {"command": "x"})
    left = remove_entry(form, more, "servers", None)
    assert left is not None
    assert form.read(left) == {"servers": {"other": {"command": "x"}}}


CODEX = """\
# my own settings
model = "gpt-5"   # the best

[mcp_servers.other]
command = 'npx'
args = [
  "-y", # yes
  "thing",
]

[tools]
web = true
"""


ODD = (
    "", "model = 1", "\n\n", "[mcp_servers]\n", 'mcp_servers.a.command = "x"\n',
    "mcp_servers = {}\n", "[mcp_servers.a]\nx = 1\n[b]\n[mcp_servers.c]\n",
)  # fmt: skip


@pytest.mark.parametrize("text", [CODEX, CODEX.replace("\n", "\r\n"), *ODD])
def test_toml_keeps_its_layout(text: str) -> None:
    new = add_entry(TOML, text, "mcp_servers", ENTRY)
    before, after = tomllib.loads(text), tomllib.loads(new)
    assert after["mcp_servers"].pop("reasonloom") == ENTRY
    assert after == {"mcp_servers": {}} | before
    assert is_within(text, new)
    assert add_entry(TOML, new, "mcp_servers", ENTRY) == new
    assert remove_entry(TOML, new, "mcp_servers", text) == text
    left = tomllib.loads(remove_entry(TOML, new, "mcp_servers", new) or "")
    assert {"mcp_servers": {}} | left == {"mcp_servers": {}} | before
    moved = add_entry(TOML, new, "mcp_servers", ENTRY | {"command": "/new"})
    assert moved == new.replace("/opt/r/bin/reasonloom", "/new")


@pytest.mark.parametrize(
    ("form", "text"),
    [(STRICT, '{"a": 1,}'), (STRICT, "// c\n{}"), (LOOSE, "{"), (LOOSE, "[]"), (LOOSE, "{,}"),
     (LOOSE, "/* open {}"), (LOOSE, '{"servers": []}'), (LOOSE, '{"servers": {"reasonloom": 1}}'),
     (LOOSE, '{"servers": {"reasonloom": {"url": "http://x"}}}'), (LOOSE, '{"a": 1,, "b": 2}'),
     (LOOSE, '{"servers": {}, "servers": {}}'), (TOML, "a = "), (TOML, "servers = 1"),
     (TOML, "a = 1\na = 2"), (LOOSE, "[" * 100_000), (TOML, "[[servers]]\nx = 1")],
)  # fmt: skip
def test_what_cannot_be_read_or_is_not_ours_is_refused(form: ConfigFormat, text: str) -> None:
    with pytest.raises(InvalidArgument):
        add_entry(form, text, "servers", ENTRY)


@pytest.mark.parametrize("form", [STRICT, LOOSE, TOML])
def test_a_text_is_hidden_unless_it_is_ours_and_no_secret(form: ConfigFormat) -> None:
    entry = ENTRY | {"env": {"OPENAI_API_KEY": "sk-1", "REASONLOOM_LLM": "offline",
                             "REASONLOOM_DATABASE_URL": "postgresql://u:geheim@h/d"}}  # fmt: skip
    other = {"env": {"TOKEN": "geheim"}, "args": ['geheim \\" \n']}
    text = add_entry(form, "", "servers", {"x": 1} | other)
    text = text.replace("reasonloom", "other")
    text = add_entry(form, text, "servers", entry)
    hidden = form.hide(text, public_texts(entry))
    assert "geheim" not in hidden
    assert "sk-1" not in hidden
    assert "offline" in hidden
    assert "/opt/r/bin/reasonloom" in hidden
    assert "TOKEN" in hidden
    assert hidden.count("\n") == text.count("\n")
    assert find_entry(form, text, "servers") == entry
    assert (
        form.hide('# geheim\n"a"\n' if form is TOML else '// geheim\n"a"', ()).count("geheim") == 0
    )
