"""Files, errors and names are found, and hostile text takes no long time."""

from __future__ import annotations

from reasonloom.transcripts import mentions
from reasonloom.transcripts.cohesion import words


def test_files() -> None:
    text = (
        "src/a/b.py, ../x/y.tsx:12 C:\\Users\\me\\a.py http://example.com/x/y.html settings.py. "
        "(README.md) и/или и/или.txt ~/x.toml e.g. foo.bar v1.2 src/a/b.py 検索/索引.rs"
    )
    assert mentions.files(text) == (
        "src/a/b.py",
        "../x/y.tsx",
        "C:\\Users\\me\\a.py",
        "settings.py",
        "README.md",
        "и/или.txt",
        "~/x.toml",
        "検索/索引.rs",
    )


def test_errors() -> None:
    text = "fine\n  ValueError: плохо\nsrc.c:3: error: no\nno error here\nfatal: gone\nexit code 2"
    assert mentions.errors(text) == (
        "ValueError: плохо",
        "src.c:3: error: no",
        "fatal: gone",
        "exit code 2",
    )
    assert len(mentions.errors("x" * 5_000 + " KeyError: y " + "z" * 5_000)[0]) <= 200


def test_names() -> None:
    text = "The `foo bar` uses snake_case, fooBar and FooBar; we met Маша in Zürich. 你好"
    assert mentions.names(text) == ("foo bar", "snake_case", "fooBar", "FooBar", "Маша", "Zürich")


def test_words_of_all_scripts() -> None:
    assert words("The running перезапуск with 検索結果") >= {"running", "перезап", "検索", "結果"}
    assert "with" not in words("with this")


def test_hostile_text_takes_no_long_time() -> None:
    for bad in ("a", "a-", "/", "a/", "a.", "A", "`", "aB", "a_", "C:\\a", "/.b", "error:", "É "):
        text = bad * (60_000 // len(bad))
        mentions.files(text), mentions.errors(text), mentions.names(text), words(text)
