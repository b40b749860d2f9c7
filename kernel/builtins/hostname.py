"""hostname: the machine's name."""

from __future__ import annotations

import os
import socket

from kernel.builtins.guard import Failure, guarded, raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when an address or a full name cannot be found."""
    values = bound.values
    name = os.uname().nodename
    if values["short"]:
        name = name.partition(".")[0]
    elif values["fqdn"] or values["domain"] or values["ip_address"]:
        name = _looked_up(name, values)
    if name or not values["domain"]:
        io.write(raw(name) + b"\n")
    return 0


def _looked_up(name: str, values: dict[str, object]) -> str:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_DGRAM, flags=socket.AI_CANONNAME)
    except OSError as error:
        raise Failure(str(error.strerror or error), 1) from None
    if values["ip_address"]:
        return " ".join(dict.fromkeys([str(each[4][0]) for each in found]))
    full = str(found[0][3] or name)
    return full.partition(".")[2] if values["domain"] else full
