"""How ls writes names: as they are, quoted, with a mark for their kind."""

from __future__ import annotations

import stat

from kernel.builtins.guard import last_given
from kernel.builtins.quoting import shell_word
from kernel.builtins.width import character_width, text_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.ls_entries import Entry

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\"}


class Names:
    """``style`` is one of literal, shell, shell-always, shell-escape, shell-escape-always, c, escape."""

    def __init__(self, bound: Bound, *, terminal: bool, utf8: bool) -> None:
        values = bound.values
        self.utf8 = utf8
        chosen = last_given(bound, "quoting_style", "escape", "quote_name", "literal", "zero")
        default = "shell-escape" if terminal else "literal"
        self.style = {"escape": "escape", "quote_name": "c", "literal": "literal", "zero": "literal", "": default}.get(
            chosen
        ) or values["quoting_style"]
        hide = last_given(bound, "hide_control_chars", "show_control_chars", "zero")
        self.hide = hide == "hide_control_chars" or (terminal and not hide)
        marks = last_given(bound, "classify_always", "classify", "file_type", "slash", "indicator_style")
        word = values["indicator_style"] if marks == "indicator_style" else ""
        when = values.get("classify")
        if marks == "classify":
            word = "classify" if when == "always" or (when == "auto" and terminal) else "none"
        self.marks = word or {"classify_always": "classify", "file_type": "file-type", "slash": "slash"}.get(marks, "none")

    def quoted(self, name: str) -> str:
        """The name as it is written; what cannot be shown is `?` where that was asked for."""
        if self.style in ("c", "escape"):
            out = "".join([self.escaped(character) for character in name])
            return f'"{out}"' if self.style == "c" else out
        if self.style.startswith("shell-escape"):
            if not self.utf8:  # every byte past ASCII is an escape there
                name = name.encode("utf-8", "surrogateescape").decode("ascii", "surrogateescape")
            return shell_word(name, always=self.style.endswith("always"))
        if self.style.startswith("shell"):
            word = shell_word(name, always=self.style.endswith("always"), escapes=False)
            return self.printable(word) if self.hide else word
        return self.printable(name) if self.hide else name

    def escaped(self, character: str) -> str:
        if character in _ESCAPES:
            return _ESCAPES[character]
        if character == '"' and self.style == "c":
            return '\\"'
        if character == " " and self.style == "escape":
            return "\\ "
        if " " <= character <= "~" or (self.utf8 and character_width(character) >= 0):
            return character
        return "".join([f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape")])

    def printable(self, name: str) -> str:
        if self.utf8:
            return "".join([character if character_width(character) >= 0 else "?" for character in name])
        data = name.encode("utf-8", "surrogateescape")
        return "".join([chr(byte) if 32 <= byte < 127 else "?" for byte in data])

    def mark(self, mode: int) -> str:
        """`/` for directories and, as far as asked for, `@` `|` `=` `*`."""
        if self.marks == "none" or not mode:
            return ""
        if stat.S_ISDIR(mode):
            return "/"
        if self.marks == "slash":
            return ""
        if stat.S_ISLNK(mode):
            return "@"
        if stat.S_ISFIFO(mode):
            return "|"
        if stat.S_ISSOCK(mode):
            return "="
        is_program = self.marks == "classify" and stat.S_ISREG(mode) and mode & 0o111
        return "*" if is_program else ""

    def aligned(self, names: list[str]) -> list[str]:
        """A blank before bare names when others are quoted, so that they stand in line."""
        if self.style not in ("shell", "shell-escape") or not any(name[:1] in ("'", '"') for name in names):
            return names
        return [name if name[:1] in ("'", '"') else " " + name for name in names]

    def width(self, name: str) -> int:
        return text_width(name, self.utf8)

    def shown(self, entry: Entry) -> str:
        return self.quoted(entry.name) + self.mark(entry.mode)
