"""jq: filters over JSON, by the libjq of the Python package `jq`, in a process of its own (running.md X12)."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io
    from kernel.spec import ParamSpec

# The start of a fresh interpreter: argv is the directory that holds the package, the working directory, jq's words.
BOOT = (
    "import os, sys; root, cwd = sys.argv[1:3]; del sys.argv[1:3]; sys.path.append(root); os.chdir(cwd); "
    "from kernel.builtins.jq_program import main; main()"
)


def run(bound: Bound, io: Io) -> int:
    """Runs the filter; where this process has nothing else to do, in it, else in a new one."""
    line = words(bound)
    return _become(line, io) if io.alone else _spawn(line, io)


def words(bound: Bound) -> list[str]:
    """jq's own argv for a bound call.

    Order means something to jq (`--args` is about the operands behind it, of `-c`, `--tab` and `--indent` the last
    counts), so what was typed stays in its order, behind what came from JSON or a default.
    """
    params = {param.name: param for param in bound.spec.params}
    # An occurrence of a param with a delimiter may hold several entries, so such a param is written as a whole.
    typed = [trace for trace in bound.trace if not params[trace.param].delimiter]
    names = {trace.param for trace in typed}
    out: list[str] = []
    later: list[str] = []
    for name, param in params.items():
        if name in names or not bound.has(name):
            continue
        texts = bound.texts[name]
        if name == "filter":
            out.append(_as_operand(texts, bound.values.get("from_file") is True))
        elif name == "files":
            later.extend(texts)
        else:
            for text in texts if param.is_list else [texts]:
                out.extend(_flag(param, text))
    separated = False
    for trace in typed:
        param, texts = params[trace.param], bound.texts[trace.param]
        if param.is_flag:  # each occurrence: what stands between `--args` and `--jsonargs` depends on both
            out.extend(_flag(param, "false" if bound.words[trace.words[0]].endswith("=false") else "true"))
            continue
        if trace.hidden:
            continue
        text = texts[trace.entry] if param.is_list else texts
        if not param.positional:
            out.extend(_flag(param, text))
            continue
        if 0 <= bound.separator < trace.words[-1] and not separated:
            out.append("--")
            separated = True
        out.append(text)
    if later and not separated:
        out.append("--")
    return out + later


def _flag(param: ParamSpec, text: str | list[str]) -> list[str]:
    spelling = "--" + param.name.replace("_", "-")
    if param.is_flag:
        return [spelling] if text == "true" else []
    return [spelling, *([text] if isinstance(text, str) else text)]


def _as_operand(text: str, is_file: bool) -> str:
    """A filter that flags may follow, spelled so that it cannot be read as one."""
    return text if text[:1] != "-" else f"./{text}" if is_file else f" {text}"


def _become(line: list[str], io: Io) -> int:
    from kernel.builtins import jq_program
    from kernel.environment import variables

    for wanted, descriptor in ((io.stdin, 0), (io.stdout, 1), (io.stderr, 2)):
        if wanted != descriptor:
            os.dup2(wanted, descriptor)
    os.chdir(io.cwd)
    environ = variables()
    if io.env is not environ:
        given = dict(io.env)
        for name in [name for name in environ if name not in given]:
            del environ[name]
        environ.update(given)
    jq_program.use_default_signals()
    return jq_program.run(line) & 0xFF


def _spawn(line: list[str], io: Io) -> int:
    import signal

    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-c", BOOT, root, io.cwd, *line],
        io.env,
        file_actions=[(os.POSIX_SPAWN_DUP2, theirs, ours) for theirs, ours in ((io.stdin, 0), (io.stdout, 1), (io.stderr, 2))],
        setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ],
    )
    while True:
        try:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except KeyboardInterrupt:
            continue  # the child got the signal too, and decides what it means
        return status if status >= 0 else 128 - status
