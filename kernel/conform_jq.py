"""Rows that say what jq binds: the driver of the shipped `jq` tool must give the same ``$ARGS``."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from kernel import bind, check, dispatch, environment, locate, policy, render, store, strict_json
from kernel.errors import KernelError
from kernel.verdict import Verdict, same


def judge_jq(row: dict[str, Any], verdict: Verdict) -> None:
    """Runs `jq -n -c '$ARGS' ARGV…` (with ``prefix``: the program last) in a directory with the row's files."""
    expected = row["jq"]
    strange = set(expected) - {"ok", "positional", "named", "stdout", "rc", "message"}
    if strange:
        raise ValueError(f"`jq` has {', '.join(sorted(strange))}")
    argv = list(row["argv"])
    words = ["-n", "-c", *argv, "$ARGS"] if row.get("prefix") else ["-n", "-c", "$ARGS", *argv]
    spec = store.by_name("jq", locate.search_path())
    spec.has_exec = False  # whatever jq is installed: another version is no difference of ours
    with tempfile.TemporaryDirectory() as directory:
        for name, text in row["files"].items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        try:
            plan = render.render(check.check(bind.bind(spec, words), environment.variables()), directory)
            policy.judge(plan)
            plan.cwd = directory
            result = dispatch.captured(plan, stdin=b"", one_shot=False)
        except KernelError as error:
            if expected["ok"] is not False:
                verdict.differences.append(f"refused: {error}")
            return
    if result.error is not None:
        raise result.error
    ok = result.exit_code == 0
    if expected["ok"] is None:
        if result.stdout != expected["stdout"]:
            verdict.differ("stdout", expected["stdout"], result.stdout)
    elif ok != expected["ok"]:
        if ok and any(word.partition("=")[0] in spec.spellings for word in argv if "=" in word):
            verdict.notes.append("bound here, where jq knows no attached value (V3)")
        elif ok and "--" in argv and row.get("prefix") and expected.get("rc") == 2:
            verdict.notes.append("bound here, where jq takes no program behind `--` (W2)")
        else:
            verdict.differ("ok", expected["ok"], result.stderr or result.stdout)
    elif ok:
        got = strict_json.loads(result.stdout)
        for key in ("named", "positional"):
            if not same(expected[key], got[key]):
                verdict.differ(key, expected[key], got[key])
