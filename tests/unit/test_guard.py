"""The guard: when its server is killed, it kills the groups that were running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from kernel_case import ROOT

# a server that tells its guard of two groups, says that one has ended, and is killed
SERVER = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from kernel import guard
keeper = guard.start()
children = [subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(2)]
for child in children:
    keeper.started(child.pid, "0" * 16)
keeper.ended(children[0].pid)
print(keeper.pid, *[child.pid for child in children], flush=True)
{end}
"""


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    end = time.monotonic() + 60
    while runs(pid):
        assert time.monotonic() < end
        time.sleep(0.01)


def start(end: str) -> tuple[subprocess.Popen[str], list[int]]:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER.replace("{end}", end), str(ROOT)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert server.stdout is not None
    with server.stdout as stdout:
        return server, [int(word) for word in stdout.readline().split()]


def test_it_kills_what_was_running_when_the_server_and_its_whole_group_are_killed() -> None:
    server, (keeper, ended, running) = start("time.sleep(600)")
    assert runs(keeper) and runs(ended) and runs(running)
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    wait_until_gone(running)
    wait_until_gone(keeper)
    assert runs(ended), "a group that had ended is nobody's: its number may be another's by now"
    os.kill(ended, signal.SIGKILL)


def test_signals_to_the_group_do_not_end_it_and_closing_does() -> None:
    server, (keeper, *children) = start("os.kill(keeper.pid, 15); time.sleep(0.1); keeper.close(); time.sleep(600)")
    wait_until_gone(children[1])
    wait_until_gone(keeper)
    assert server.poll() is None
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    os.kill(children[0], signal.SIGKILL)


def test_it_holds_none_of_the_servers_streams() -> None:
    server, (keeper, *children) = start("time.sleep(600)")
    links = {os.readlink(f"/proc/{keeper}/fd/{name}") for name in os.listdir(f"/proc/{keeper}/fd")}
    assert len([link for link in links if link.startswith("pipe:")]) == 1
    assert links - {link for link in links if link.startswith("pipe:")} == {"/dev/null"}
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    wait_until_gone(children[1])
    os.kill(children[0], signal.SIGKILL)
