"""Builtins that stand side by side in a pipeline: one process for all of them, a thread for each.

Their bytes go through pipes as between processes, so that a reader that ends early ends its writer and a slow one holds
it up. Where one writes JSON and the next reads it, the values themselves are handed over.
"""

from __future__ import annotations

import mmap
import os
import stat
import threading
import time
from itertools import pairwise

from kernel import environment
from kernel.builtins.link import Link
from kernel.errors import KernelError, fail
from kernel.pipeline import SHORT_PIPE_SIZE, Forked, Starter, pipe
from kernel.shell.calls import Builtin
from kernel.shell.data import text_of
from kernel.shell.redirect import Redirections
from kernel.shell.tree import Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.builtins.io import Io
    from kernel.builtins.watch import Watch
    from kernel.shell.calls import Running
    from kernel.shell.data import Field
    from kernel.shell.stages import Stages
    from kernel.shell.tree import Command


class Statuses:
    """The exit statuses of the calls of one process, told to its parent as each ends."""

    def __init__(self, count: int) -> None:
        self._memory = mmap.mmap(-1, 2 * count)  # for each: whether it has ended, its status
        self._count = count

    def tell(self, index: int, status: int) -> None:
        self._memory[2 * index + 1] = status & 255
        self._memory[2 * index] = 1

    def all(self, otherwise: int) -> list[int]:
        """One for each call; ``otherwise`` for those that had not ended when the process did."""
        memory = self._memory
        return [memory[2 * index + 1] if memory[2 * index] else otherwise for index in range(self._count)]


class Member:
    """One of the calls: its streams, and what it is, which is a status where it could not be made."""

    def __init__(self, running: Running, node: Simple, io: Io | None) -> None:
        self.running = running
        self.node = node
        self.streams = [os.dup(0), os.dup(1), os.dup(2)]
        self.io = io
        if io is not None:
            io.stdin, io.stdout, io.stderr = self.streams
        self.process = 0  # where it has one of its own

    def gives_values(self) -> bool:
        """Whether what goes into the pipe behind it are JSON values and nothing else."""
        redirects = self.node.redirects
        return isinstance(self.running, Builtin) and self.running.has("gives") and all(each.descriptor == 0 for each in redirects)

    def takes_values(self) -> bool:
        """Whether what it reads is JSON, from the pipe before it."""
        redirects = self.node.redirects
        return isinstance(self.running, Builtin) and self.running.has("takes") and all(each.descriptor != 0 for each in redirects)

    def close(self) -> None:
        """Lets go of its streams, so that its neighbours see that it has ended."""
        while self.streams:
            os.close(self.streams.pop())
        if self.io is not None and self.io.source is not None:
            self.io.source.leave()
        if self.io is not None and self.io.sink is not None:
            self.io.sink.end()


class Adjacent:
    """The calls that share a process. ``run`` is called in it, with the group's input and output as descriptors 0 and 1."""

    def __init__(self, nodes: list[Command], stages: Stages) -> None:
        self.nodes = [node for node in nodes if isinstance(node, Simple)]  # which they are
        self.stages = stages
        self.statuses = Statuses(len(nodes))

    def run(self) -> int:
        """Runs them all: the status of the last. Descriptors 0 and 1 are the null device afterwards."""
        members = self._members()
        for writer, reader in pairwise(members):
            if writer.io is not None and reader.io is not None and writer.gives_values() and reader.takes_values():
                writer.io.sink = reader.io.source = Link()
        for member in members:
            if not isinstance(member.running, int) and not _may_share(member):
                self._part(member, members)
        watch = self._watch(members)
        threads: list[threading.Thread] = []
        try:
            for index, member in enumerate(members[:-1]):
                thread = threading.Thread(target=self._call, args=(index, member))
                thread.start()
                threads.append(thread)
        except RuntimeError:
            self._refuse(members, len(threads))
        else:
            self._call(len(members) - 1, members[-1])
        for thread in threads:
            thread.join()
        if watch is not None:
            watch.stop()
        return self.statuses.all(0)[-1]

    # Before anything runs: words, redirections, streams

    def _members(self) -> list[Member]:
        members = []
        reader = os.dup(0)
        for node in self.nodes:
            following, writer = (-1, os.dup(1)) if node is self.nodes[-1] else pipe(SHORT_PIPE_SIZE)
            members.append(self._member(node, reader, writer))
            os.close(reader)
            os.close(writer)
            reader = following
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)  # only the members hold the ends of the group, so that each end is seen when theirs is
        os.dup2(null, 1)
        os.close(null)
        return members

    def _member(self, node: Simple, stdin: int, stdout: int) -> Member:
        evaluator = self.stages.evaluator
        streams, redirections = Redirections(), Redirections()
        streams.point(0, stdin)
        streams.point(1, stdout)
        try:
            fields = evaluator.expander.fields(node.words)
            redirections.apply(node.redirects, evaluator.expander)
            return evaluator.assigned(node, lambda: self._prepared(node, fields))
        except KernelError as error:
            return Member(evaluator.report(error), node, None)
        finally:
            redirections.undo()
            streams.undo()

    def _prepared(self, node: Simple, fields: list[Field]) -> Member:
        running = self.stages.evaluator.calls.prepare(text_of(fields[0]), fields[1:], node)
        io = None
        if isinstance(running, Builtin):
            io = running.io()
            if node.assignments:
                io.env = dict(io.env)
        return Member(running, node, io)

    def _part(self, member: Member, members: list[Member]) -> None:
        """Gives a call a process of its own."""
        evaluator = self.stages.evaluator

        def apart() -> int:
            for ours, theirs in enumerate(member.streams):
                os.dup2(theirs, ours)
            for each in members:
                each.close()
            if member.io is not None:
                own = environment.variables()
                own.clear()
                own.update(member.io.env)  # with what is assigned in front of it
                time.tzset()
            return evaluator.start(member.running, True, lambda: "")

        member.process = Starter(None).start([Forked(self.stages.reporting(apart))])[0]

    def _watch(self, members: list[Member]) -> Watch | None:
        """What draws how far they are, where that is wanted and no other process has a part in it."""
        if not self.stages.evaluator.is_watched() or any(member.io is None or member.process for member in members):
            return None
        from kernel.builtins.watch import Watch

        found = Watch(2, environment.variables())
        ends = [*[member.streams[1] for member in members[:-1]], *[member.streams[0] for member in members[1:]]]
        found.inner = frozenset([end for end in ends if stat.S_ISFIFO(os.fstat(end).st_mode)])
        for member in members:
            if member.io is not None:
                member.io.watch = found
        found.arm()
        return found

    def _refuse(self, members: list[Member], first: int) -> None:
        """The system gives no more threads: the calls from ``first`` on fail, and those before see that nobody reads."""
        status = self.stages.evaluator.report(fail("E-FILE", "the system refused to start one more thread"))
        for index in range(first, len(members)):
            self.statuses.tell(index, status)
            members[index].close()

    # While they run

    def _call(self, index: int, member: Member) -> None:
        running, status = member.running, 125
        try:
            if member.process:
                member.close()
                status = self.stages.evaluator.jobs.wait_one(member.process)
            elif isinstance(running, Builtin):
                status = self.stages.reporting(lambda: running.run(member.io))()
            elif isinstance(running, int):
                status = running
        finally:
            self.statuses.tell(index, status)
            member.close()


def _may_share(member: Member) -> bool:
    """Whether a call leaves its process as it is. A time zone of its own (`TZ=… ls -l`) is the whole process's."""
    running, io = member.running, member.io
    if not isinstance(running, Builtin) or io is None:
        return False
    return not running.has("wants_process") and io.env.get("TZ") == environment.variables().get("TZ")
