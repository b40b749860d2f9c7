"""What a plain YAML scalar is: YAML 1.2's reading, where every YAML reader shares it (manifest.md, "YAML, strictly")."""

from __future__ import annotations

import re

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
MAX_DIGITS = 4300
_TRUE = frozenset(["yes", "Yes", "YES", "on", "On", "ON", "True", "TRUE"])
_FALSE = frozenset(["no", "No", "NO", "off", "Off", "OFF", "False", "FALSE"])
WORDS = _TRUE | _FALSE | {"true", "false", "null", "Null", "NULL"}  # all that begin with a letter and are no text
_int = re.compile(r"[-+]?(?:0|[1-9][0-9]*)").fullmatch
_float = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?").fullmatch
_AMBIGUOUS = r"""
      [-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?  # 012 1_000 01.5
    | [-+]?0[xXoObB][0-9a-fA-F_]+
    | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?                        # 1:30, to the base of sixty
    | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN)
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}
      (?:(?:[Tt]|[ ]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?[ ]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?
    | = | <<
    """  # compiled at its first use: hardly a manifest comes that far
_BEGINS_AMBIGUOUS = frozenset("0123456789.=<")


class Ambiguous(ValueError):
    """A scalar that YAML readers do not read alike, or not at all; ``hint`` says what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def quoted(text: str) -> str:
    """A text as a quoted YAML scalar: double quotes, single ones where that saves backslashes."""
    if "'" not in text and ("\\" in text or '"' in text):
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def short(text: str) -> str:
    """A text for a sentence, cut after 60 characters."""
    return text if len(text) <= 60 else text[:59] + "…"


def sort_of(text: str) -> str:
    """What a plain scalar is: "text", "int", "float", "bool" or "null"; "text" when empty. Raises Ambiguous."""
    if text[:1] in LETTERS and text not in WORDS:
        return "text"
    if text in ("true", "false"):
        return "bool"
    if text in ("null", "~"):
        return "null"
    if _int(text):
        if len(text.lstrip("+-")) <= MAX_DIGITS:
            return "int"
        raise Ambiguous(f"a whole number has more than {MAX_DIGITS:,} digits", "quote it if it is text")
    if _float(text):
        if float(text) not in (float("inf"), float("-inf")):
            return "float"
        raise Ambiguous(f"the number `{short(text)}` is too large", f"write {quoted(short(text))} for the text")
    if text == "<<":
        raise Ambiguous("`<<` would merge another mapping", "write the keys out")
    if text in WORDS or (text.lstrip("+-")[:1] in _BEGINS_AMBIGUOUS and re.fullmatch(_AMBIGUOUS, text, re.VERBOSE)):
        hint = f"write {quoted(short(text))} for the text"
        if text in WORDS:
            hint += f", or `{'true' if text in _TRUE else 'false' if text in _FALSE else 'null'}`"
        raise Ambiguous(f"`{short(text)}` without quotes means different things to different YAML readers", hint)
    return "text"


def is_own_text(text: str, sort: str) -> bool:
    """Whether a plain scalar can stand for its text: every reader gives the text back (`12`, `1.5`, `true`)."""
    if sort == "int":
        return text[0] != "+" and text != "-0"
    if sort == "float":
        return repr(float(text)) == text and text[-2:] != ".0" and "e" not in text
    return sort != "null"
