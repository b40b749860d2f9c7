"""Near names: what a mistyped word may have meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_WORD = 80  # characters of a word that near names are looked for


def near(word: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The names that a mistyped word may have meant, best first: longer ones it begins, then similar ones.

    Case, and `-` or `_`, make no difference. A name that begins with another letter is near only where the words
    differ in nothing else.
    """
    if not word or len(word) > LONGEST_WORD:
        return []
    import difflib

    known: dict[str, str] = {}
    for name in names:
        known.setdefault(_folded(name), name)
    wanted = _folded(word)
    same = [wanted] if wanted in known else []
    begun = sorted([name for name in known if name.startswith(wanted) and len(wanted.lstrip("-")) > 1], key=len)
    similar = [name for name in difflib.get_close_matches(wanted, known, 2 * limit, 0.65) if _begin_alike(wanted, name)]
    return [known[name] for name in dict.fromkeys([*same, *begun, *similar])][:limit]


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")


def _begin_alike(word: str, name: str) -> bool:
    """Whether a word and a name begin with the same letter, or differ in their beginning alone (`kat`, `gti`, `ouch`)."""
    word, name = word.lstrip("-"), name.lstrip("-")
    if word[:1] == name[:1]:
        return True
    swapped = word[1::-1] + word[2:]
    return bool({word, word[1:]} & {name, name[1:]}) or swapped == name
