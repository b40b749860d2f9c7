"""Where a server may listen without a token, and by which names it is called there."""

from __future__ import annotations

import pytest

from kernel.errors import KernelError
from kernel.serve.listening import LOOPBACK, hosts_of, listen


def test_only_the_machine_itself_is_served_without_a_token() -> None:
    for address in ("127.0.0.1:0", "localhost:0", ":0"):
        with listen(address, "") as listening:
            assert listening.getsockname()[0].startswith("127.") or listening.getsockname()[0] == "::1"
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.org:0"):
        with pytest.raises(KernelError, match="token"):
            listen(address, "")
    with listen("0.0.0.0:0", "secret") as listening:
        assert listening.getsockname()[0] == "0.0.0.0"


def test_a_taken_or_foreign_address_is_refused() -> None:
    with listen("127.0.0.1:0", "") as listening:
        for address in (f"127.0.0.1:{listening.getsockname()[1]}", "192.0.2.1:80"):
            with pytest.raises(KernelError, match="cannot be listened on"):
                listen(address, "secret")


def test_names_follow_from_the_address() -> None:
    for address in ("127.0.0.1:1", "localhost:1", "[::1]:1", ":1"):
        assert hosts_of(address) == frozenset(LOOPBACK)
    assert hosts_of("Example.org:1") == frozenset(["example.org"])
    assert hosts_of("0.0.0.0:1") is None and hosts_of("[::]:1") is None
