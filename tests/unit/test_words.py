"""Words from text by sh's quoting, and back."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from kernel.words import Word, WordsError, join, quote, split


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \t\n ", []),
        ("a  b\tc\nd", ["a", "b", "c", "d"]),
        ("a 'b  c' d", ["a", "b  c", "d"]),
        ("''", [""]),
        ('""', [""]),
        ("a''b\"\"c", ["abc"]),
        ("jq --arg a 1 -n '{$a}'", ["jq", "--arg", "a", "1", "-n", "{$a}"]),
        (r"a\ b \'", ["a b", "'"]),
        ("a\\\nb \\\n c", ["ab", "c"]),
        (r'"a\"b\\c\$d\`e\nf"', ['a"b\\c$d`e\\nf']),
        ('"a\\\nb"', ["ab"]),
        (r"'a\b'", [r"a\b"]),
        ("$HOME *.c #x | ;", ["$HOME", "*.c", "#x", "|", ";"]),
        (r"$'a\n\t\\\'\x1b\xff\xc3\xa9'", ["a\n\t\\'\x1b\udcffé"]),
        ("é🦀 'ü'", ["é🦀", "ü"]),
        ("$", ["$"]),
    ],
)
def test_split(text: str, words: list[str]) -> None:
    assert [word.text for word in split(text)] == words


def test_places_are_those_of_the_text() -> None:
    text = " ab 'c d'e  \"f\"\\g"
    words = split(text)
    assert words == [Word("ab", 1, 3), Word("c de", 4, 10), Word("fg", 12, 17)]
    assert [text[word.start : word.end] for word in words] == ["ab", "'c d'e", '"f"\\g']
    assert [word.quoted for word in words] == [False, True, True]
    assert words[0] != Word("ab", 2, 3)
    assert repr(words[0]) == "Word('ab', 1, 3)"


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("a 'b", "the quote `'` is never closed", 2),
        ('a "b', 'the quote `"` is never closed', 2),
        ('"a\\"', 'the quote `"` is never closed', 0),
        ("x $'b", "the quote `$'` is never closed", 2),
        ("$'a\\q'", "`\\q` is no escape that `$'…'` has here", 3),
        ("$'a\\x1'", "`\\x` is no escape that `$'…'` has here", 3),
        ("$'\\", "`\\` is no escape that `$'…'` has here", 2),
        ("a\\", "nothing follows the backslash", 1),
    ],
)
def test_quoting_that_does_not_end(text: str, message: str, at: int) -> None:
    with pytest.raises(WordsError) as caught:
        split(text)
    assert (caught.value.message, caught.value.at) == (message, at)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("", "''"),
        ("--name=a/b.c", "--name=a/b.c"),
        ("=ls", "'=ls'"),
        ("~", "'~'"),
        ("a b", "'a b'"),
        ("{$a}", "'{$a}'"),
        ("it's", '"it\'s"'),
        ("it's $5", "'it'\\''s $5'"),
        ("é🦀", "'é🦀'"),
        ("a\nb", "$'a\\nb'"),
        ("\x1b[1m'", "$'\\e[1m\\''"),
        ("\u202ex", "$'\\xe2\\x80\\xaex'"),
        ("a\udcffb", "$'a\\xffb'"),
        ("\ud800", "$'\\xef\\xbf\\xbd'"),
    ],
)
def test_quote(word: str, text: str) -> None:
    assert quote(word) == text
    assert [read.text for read in split(text)] == [word if word != "\ud800" else "\ufffd"]


def test_join() -> None:
    assert join(["jq", "--arg", "a", "", "{$a}"]) == "jq --arg a '' '{$a}'"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_a_shell_reads_the_same_words() -> None:
    words = [
        "",
        "a b",
        "it's",
        "it's $5",
        "`x`",
        "\\",
        '"',
        "\n",
        "\t\x01\x7f",
        "{a,b}",
        "*",
        "~",
        "!!",
        "é",
        "a\udcffb",
        "-n",
        "#",
        "\x1b1",
    ]
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {join(words)}"], capture_output=True, check=True)
    assert done.stdout.decode("utf-8", "surrogateescape").split("\0") == [*words, ""]
