"""Perl's regular expressions for `grep -P`, by Python's `re`: what both have under different spellings is rewritten.

What `re` has no counterpart for (recursion, `\\p{…}`, `\\G`, branch reset, verbs) is an error that names it.
"""

from __future__ import annotations

import re
import warnings

from kernel.builtins.posix_regex import RegexError
from kernel.builtins.regex_classes import class_ranges

_BLANKS = r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
_BREAKS = r"\n\x0b\f\r\x85\u2028\u2029"
_ESCAPES = {
    "h": f"[{_BLANKS}]",
    "H": f"[^{_BLANKS}]",
    "v": f"[{_BREAKS}]",
    "V": f"[^{_BREAKS}]",
    "R": r"(?:\r\n|[\n\x0b\f\r\x85\u2028\u2029])",
    "N": r"[^\n]",
    "e": r"\x1b",
    "Z": r"(?=\n?\Z)",
    "z": r"\Z",
}
_IN_SET = {"h": _BLANKS, "v": _BREAKS, "e": r"\x1b"}
_SHARED = frozenset("dDwWsSbBA0nrtfa")  # `re` means the same by them
_KEPT = "kept_"


class PerlMatcher:
    """A pattern made ready; what a search asks of a ``regex_match.Matcher``. The first match counts, not the longest."""

    is_risky = True  # its sets may match a newline: each record is searched by itself
    is_slow = False

    def __init__(self, pattern: str, *, fold: bool, words: bool = False, lines: bool = False) -> None:
        source = _Translator(pattern).source
        if lines:
            source = f"^(?:{source})$"
        elif words:
            source = rf"(?<!\w)(?:{source})(?!\w)"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # `[[a]` is what it looks like
                self.pattern = re.compile(source, re.MULTILINE | re.ASCII | (re.IGNORECASE if fold else 0))
        except (re.error, OverflowError, RecursionError) as error:
            raise RegexError(f"the Perl pattern cannot be read: {error}") from None
        self.keeps = _KEPT in self.pattern.groupindex

    def existence(self) -> re.Pattern[str]:
        """A pattern that matches in the same records."""
        return self.pattern

    def matches(self, text: str) -> bool:
        """Whether a record holds a match."""
        return self.pattern.search(text) is not None

    def longest(self, text: str, start: int) -> tuple[int, int] | None:
        """The first match of a record from ``start`` on, as (begin, end); behind `\\K` where the pattern has one."""
        found = self.pattern.search(text, start)
        if found is None:
            return None
        return found.span(_KEPT) if self.keeps else found.span()


class _Translator:
    """Rewrites a pattern from left to right into ``source``."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.open_keeps = 0
        self.alternates = False
        out: list[str] = []
        while self.at < len(pattern):
            out.append(self.one())
        if self.open_keeps and self.alternates:
            raise _unsupported(r"\K beside `|` outside of parentheses")
        self.source = "".join(out) + ")" * self.open_keeps

    def one(self) -> str:
        character = self.pattern[self.at]
        if character == "\\":
            return self.escape()
        self.at += 1
        if character == "[":
            return self.set()
        if character == "(":
            self.depth += 1
            return self.group()
        if character == ")":
            self.depth -= 1
        elif character == "|" and self.depth == 0:
            self.alternates = True
        return character

    def next(self) -> str:
        self.at += 2
        if self.at > len(self.pattern):
            raise RegexError(r"the Perl pattern ends in `\`")
        return self.pattern[self.at - 1]

    def braced(self) -> str:
        """The text in braces (or `<…>`, `'…'`) that stands here."""
        close = {"{": "}", "<": ">", "'": "'"}.get(self.pattern[self.at : self.at + 1], "")
        end = self.pattern.find(close, self.at + 1) if close else -1
        if end < 0:
            raise RegexError("the Perl pattern lacks a name in braces behind an escape")
        text = self.pattern[self.at + 1 : end]
        self.at = end + 1
        return text

    def escape(self) -> str:
        letter = self.next()
        if letter in _SHARED:
            return "\\" + letter
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == "Q":
            end = self.pattern.find(r"\E", self.at)
            text = self.pattern[self.at :] if end < 0 else self.pattern[self.at : end]
            self.at = len(self.pattern) if end < 0 else end + 2
            return re.escape(text)
        if letter == "E":
            return ""
        if letter == "K":
            if self.depth:
                raise _unsupported(r"\K in parentheses")
            if self.open_keeps:
                raise _unsupported(r"a second \K")
            self.open_keeps = 1
            return f"(?P<{_KEPT}>"
        if letter == "k":
            return f"(?P={self.braced()})"
        if letter == "g":
            return self.reference()
        if letter == "x":
            return re.escape(self.code_point())
        if letter.isdigit():
            return "\\" + letter
        if letter.isalpha():
            raise _unsupported(f"\\{letter}")
        return re.escape(letter)

    def reference(self) -> str:
        rest = self.pattern[self.at : self.at + 1]
        if rest.isdigit():
            self.at += 1
            return f"(?:\\{rest})"
        name = self.braced()
        if name.lstrip("+-").isdigit() and name[:1] in "+-":
            raise _unsupported(rf"\g{{{name}}}")
        return f"(?:\\{name})" if name.isdigit() else f"(?P={name})"

    def code_point(self) -> str:
        if self.pattern[self.at : self.at + 1] == "{":
            digits = self.braced()
        else:
            digits = self.pattern[self.at : self.at + 2]
            digits = digits if re.fullmatch("[0-9A-Fa-f]+", digits) else digits[:1]
            digits = digits if re.fullmatch("[0-9A-Fa-f]", digits[:1]) else ""
            self.at += len(digits)
        try:
            return chr(int(digits or "0", 16))
        except (ValueError, OverflowError):
            raise RegexError(f"the Perl pattern has no character `{digits}`") from None

    def group(self) -> str:
        rest = self.pattern[self.at :]
        if rest.startswith("*"):
            raise _unsupported("(*")
        if not rest.startswith("?"):
            return "("
        named = re.match(r"\?(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')", rest)
        if named:
            self.at += named.end()
            return f"(?P<{named[1] or named[2]}>"
        allowed = re.match(r"\?(?:[:=!>#]|<[=!]|P[<=]|[aimsx-]+[:)]|\()", rest)
        if not allowed:
            raise _unsupported(f"({rest[:2]}")
        self.at += allowed.end()
        if allowed[0].endswith(")"):
            return self.options(allowed[0])
        return f"({allowed[0]}"

    def options(self, text: str) -> str:
        """`(?i)` holds to the end of its group: `re` wants the rest of it in parentheses."""
        self.depth -= 1
        if self.depth:
            raise _unsupported(f"({text} inside a group; write ({text[:-1]}:…)")
        self.open_keeps += 1
        return f"({text[:-1]}:"

    def set(self) -> str:
        out = "["
        if self.pattern[self.at : self.at + 1] == "^":
            out += "^"
            self.at += 1
        first = True
        while True:
            character = self.pattern[self.at : self.at + 1]
            if not character:
                raise RegexError("the Perl pattern has an unmatched `[`")
            named = re.compile(r"\[:(\^?)([a-z]+):\]").match(self.pattern, self.at)
            if named:
                out += self.named(named[1], named[2])
                self.at = named.end()
            elif character == "\\":
                out += self.set_escape()
            else:
                self.at += 1
                if character == "]" and not first:
                    return out + "]"
                out += re.escape(character) if character in "[]&~|" else character
            first = False

    def named(self, negated: str, name: str) -> str:
        if negated:
            raise _unsupported(f"[:^{name}:]")
        try:
            ranges = class_ranges(name, False)
        except (KeyError, RegexError):
            raise RegexError(f"the Perl pattern has an unknown class `[:{name}:]`") from None
        return "".join([f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges])

    def set_escape(self) -> str:
        letter = self.next()
        if letter == "b":
            return r"\x08"
        if letter in _SHARED or letter.isdigit():
            return "\\" + letter
        if letter in _IN_SET:
            return _IN_SET[letter]
        if letter == "x":
            return re.escape(self.code_point())
        if letter.isalpha():
            raise _unsupported(f"\\{letter} in brackets")
        return re.escape(letter)


def _unsupported(what: str) -> RegexError:
    return RegexError(f"-P does not support `{what}`; the installed grep may")
