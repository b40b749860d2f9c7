"""The files that split writes: their names, one after another, and what goes into them."""

from __future__ import annotations

import os

from kernel.builtins.guard import Failure, raw, reason
from kernel.builtins.quoting import quoted, quoted_name
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.builtins.io import Io


class Numbered:
    """Names: `xaa`, `xab` … With a free length, names grow at the alphabet's last letter: `xyz`, `xzaaa`."""

    def __init__(self, prefix: str, alphabet: str, length: int, suffix: str, start: str) -> None:
        if "/" in suffix:
            raise Failure(f"invalid suffix {quoted(suffix)}, contains directory separator", param="additional_suffix")
        base = 16 if len(alphabet) == 16 else 10
        try:
            self.number = int(start or "0", base)
        except ValueError:
            raise Failure(f"{quoted(start)}: invalid start value for numerical suffix") from None
        self.prefix = prefix
        self.alphabet = alphabet
        self.suffix = suffix
        self.fixed = length > 0 or self.number > 0
        self.length = length or max(2, len(start))

    def needed(self, count: int) -> None:
        """Makes the names long enough for so many pieces; refuses a length that is not."""
        least = 1
        while len(self.alphabet) ** least < count + self.number:
            least += 1
        if self.fixed and self.length < least:
            raise Failure(f"the suffix length needs to be at least {least}", param="suffix_length")
        if not self.fixed:
            self.length = max(self.length, least)
            self.fixed = True

    def next(self) -> str:
        """The next name. Failure when there are no more."""
        base = len(self.alphabet)
        number, lead, length = self.number, "", self.length
        if not self.fixed:
            # the last letter first: a name that begins with it is one letter longer
            while number >= (base - 1) * base ** (length - 1):
                number -= (base - 1) * base ** (length - 1)
                lead += self.alphabet[-1]
                length += 1
        elif number >= base**length:
            raise Failure("output file suffixes exhausted", 1)
        self.number += 1
        letters = ""
        for _ in range(length):
            number, rest = divmod(number, base)
            letters = self.alphabet[rest] + letters
        return self.prefix + lead + letters + self.suffix


class Pieces:
    """The piece that is being written."""

    def __init__(self, io: Io, naming: Numbered, *, verbose: bool) -> None:
        self.io = io
        self.naming = naming
        self.verbose = verbose
        self.descriptor = -1

    def opened(self) -> int:
        """A descriptor of the next piece, the caller's to close."""
        name = self.naming.next()
        if self.verbose:
            self.io.write(b"creating file " + raw(quoted_name(name)) + b"\n")
        try:
            return os.open(self.io.path(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise Failure(f"{name}: {reason(error)}", 1) from None

    def next(self) -> None:
        """Ends the piece and begins another."""
        self.close()
        self.descriptor = self.opened()

    def write(self, data: bytes) -> None:
        write_all(self.descriptor, data)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
