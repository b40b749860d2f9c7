"""Where a server over HTTP listens, and who may call it there (serving.md)."""

from __future__ import annotations

import socket
from typing import Final

from kernel.errors import fail

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
EVERYWHERE: Final = ("0.0.0.0", "::")


def listen(address: str, token: str) -> socket.socket:
    """A listening socket for HOST:PORT. Raises KernelError for one that is none, is taken, or would need a token."""
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16) or not address.count(":"):
        raise fail("E-TYPE", f"`--http` wants HOST:PORT, got `{address}`", hint="write `--http 127.0.0.1:8000`")
    host = host or LOOPBACK[0]
    if host not in LOOPBACK and not token:
        hint = "give one by `--token-file FILE`, or serve `127.0.0.1` only"
        raise fail("E-SECRET", f"`{host}` can be reached from other machines, which takes a token", hint=hint)
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(place)
            made.listen(128)
        except OSError:
            made.close()
            raise
    except OSError as error:
        raise fail("E-FILE", f"`{address}` cannot be listened on: {error.strerror or error}") from None
    return made


def hosts_of(address: str) -> frozenset[str] | None:
    """The names by which a server on that address is called; None where it cannot know them."""
    host = address.rpartition(":")[0].removeprefix("[").removesuffix("]").lower()
    if host in EVERYWHERE:
        return None
    return frozenset(LOOPBACK) if host in (*LOOPBACK, "") else frozenset([host])
