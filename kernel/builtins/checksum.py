"""checksum: digests of files, and files checked against them, as sha256sum and its like do."""

from __future__ import annotations

import hashlib
import hmac
import os
import re

from kernel.builtins.guard import Failure, InputError, guarded, raw
from kernel.builtins.lines import close_input, for_each_input, open_input, read, records
from kernel.builtins.quoting import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b")
TAGS = {name: name.upper() if name != "blake2b" else "BLAKE2b" for name in ALGORITHMS}
LENGTHS = {32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}
_TAGGED = re.compile(rb"(\\?)([A-Za-z0-9]+) ?\((.*)\) ?= ?([0-9a-fA-F]+)", re.DOTALL)
_PLAIN = re.compile(rb"(\\?)([0-9a-fA-F]+) [ *](.*)", re.DOTALL)
_SIZE = 1 << 18


def usage(bound: Bound) -> None:
    """Failure for options that exclude each other."""
    if bound.values["check"] and bound.values["tag"]:
        raise Failure("the --tag option is meaningless when verifying checksums", param="tag")


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read, or with --check is not what it was."""
    values = bound.values
    usage(bound)
    if values["check"]:
        return Checker(bound, io).run()
    algorithm = values.get("algorithm", "sha256")

    def work(name: str, descriptor: int) -> None:
        io.write(line(digest(descriptor, algorithm), name, algorithm, tag=bool(values["tag"]), zero=bool(values["zero"])))

    return for_each_input(io, values["files"], work)


def digest(descriptor: int, algorithm: str) -> str:
    """The digest of all that is to be read, in hexadecimal. Raises InputError."""
    state = hashlib.new(algorithm, usedforsecurity=False)
    while chunk := read(descriptor, _SIZE):
        state.update(chunk)
    return state.hexdigest()


def line(found: str, name: str, algorithm: str, *, tag: bool, zero: bool) -> bytes:
    """A line as GNU tools print and read it; a name with a newline or backslash is escaped."""
    shown = raw(name)
    lead = b""
    if not zero and any(mark in shown for mark in (b"\\", b"\n", b"\r")):
        shown = shown.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
        lead = b"\\"
    end = b"\0" if zero else b"\n"
    if tag:
        return lead + TAGS[algorithm].encode() + b" (" + shown + b") = " + found.encode() + end
    return lead + found.encode() + b"  " + shown + end


class Checker:
    """Files of checksums, line by line."""

    def __init__(self, bound: Bound, io: Io) -> None:
        self.values = bound.values
        self.io = io
        self.failed = False

    def run(self) -> int:
        for name in self.values["files"] or ["-"]:
            self.one(name)
        return 1 if self.failed else 0

    def one(self, name: str) -> None:
        io, values = self.io, self.values
        shown = "standard input" if name == "-" else file_name(name)
        descriptor = open_input(io, name)
        if descriptor < 0:
            self.failed = True
            return
        sound = malformed = mismatched = unreadable = matched = 0
        try:
            for number, text in enumerate(records(io, descriptor), 1):
                if text.startswith(b"#"):
                    continue
                entry = self.entry(text.rstrip(b"\r"))
                if entry is None:
                    malformed += 1
                    if values["warn"]:
                        io.complain(f"{shown}: {number}: improperly formatted {self.title()} checksum line")
                    continue
                sound += 1
                answer = self.verify(*entry)
                mismatched += answer == "FAILED"
                unreadable += answer == "FAILED open or read"
                matched += answer == "OK"
        except InputError as error:
            io.complain(f"{shown}: read error: {error}")
            self.failed = True
        finally:
            close_input(io, descriptor)
        self.summary(shown, sound, malformed, mismatched, unreadable, matched)

    def title(self) -> str:
        return TAGS[self.values.get("algorithm", "sha256")]

    def entry(self, text: bytes) -> tuple[str, str, str] | None:
        """(algorithm, digest, file name) of a line, None where it is none."""
        tagged, plain = _TAGGED.fullmatch(text), _PLAIN.fullmatch(text)
        wanted = self.values.get("algorithm")
        if tagged:
            escaped, tag, name, found = tagged.groups()
            algorithm = next((key for key, value in TAGS.items() if value.encode() == tag), "")
            if not algorithm or (wanted and algorithm != wanted):
                return None
        elif plain:
            escaped, found, name = plain.groups()
            algorithm = wanted or LENGTHS.get(len(found), "")
        else:
            return None
        if not algorithm or len(found) != hashlib.new(algorithm, usedforsecurity=False).digest_size * 2:
            return None
        if escaped:
            name = re.sub(rb"\\(.)", lambda match: {b"n": b"\n", b"r": b"\r"}.get(match[1], match[1]), name)
        return algorithm, found.decode().lower(), os.fsdecode(name)

    def verify(self, algorithm: str, wanted: str, name: str) -> str:
        """`OK`, `FAILED`, or another answer that says why; prints it as far as it is wanted."""
        io, values = self.io, self.values
        if values["ignore_missing"] and name != "-" and not os.path.exists(io.path(name)):
            return ""
        descriptor = open_input(io, name)
        answer = "FAILED open or read"
        if descriptor >= 0:
            try:
                answer = "OK" if hmac.compare_digest(digest(descriptor, algorithm), wanted) else "FAILED"
            except InputError as error:
                io.complain(f"{file_name(name)}: {error}")
            finally:
                close_input(io, descriptor)
        if not values["status"] and not (values["quiet"] and answer == "OK"):
            lead = b"\\" if "\n" in name else b""
            io.write(lead + raw(name.replace("\\", "\\\\").replace("\n", "\\n") if lead else name) + f": {answer}\n".encode())
        return answer

    def summary(self, shown: str, sound: int, malformed: int, mismatched: int, unreadable: int, matched: int) -> None:
        io, values = self.io, self.values
        self.failed = self.failed or bool(mismatched or unreadable or (values["strict"] and malformed))
        if not sound:
            io.complain(f"{shown}: no properly formatted checksum lines found")
            self.failed = True
            return
        if not values["status"]:
            if malformed:
                io.complain(f"WARNING: {malformed} line{_s(malformed)} {_is(malformed)} improperly formatted")
            if unreadable:
                io.complain(f"WARNING: {unreadable} listed file{_s(unreadable)} could not be read")
            if mismatched:
                io.complain(f"WARNING: {mismatched} computed checksum{_s(mismatched)} did NOT match")
        if values["ignore_missing"] and not matched:
            if not values["status"]:
                io.complain(f"{shown}: no file was verified")
            self.failed = True


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
