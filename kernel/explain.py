"""What a call's words mean, and what they were meant to be: loaded where something failed or a person asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernel import masking
from kernel.bind import bind, is_operand
from kernel.bound import Bound
from kernel.check import check
from kernel.errors import KernelError, Problem, WordPlace
from kernel.faults import form, slot_names
from kernel.near import near

if TYPE_CHECKING:
    from kernel.bound import Trace
    from kernel.plan import Plan
    from kernel.spec import ParamSpec, ToolSpec

COMPLETED = 20  # U1: problems that are printed, and so worth a near name
LONGEST_LINE = 200  # characters of a corrected line that a hint shows


def complete(error: KernelError, spec: ToolSpec) -> None:
    """Adds what helps a person to the problems of a failed call of ``spec``: near names and a corrected line.

    ``error.words`` are the call's words, ``error.prefix`` what stood before them. Near names go into the fact
    ``near``, the line as a list of words into the fact ``line`` of the first problem it mends; hints say both. There
    is a line only where every problem has a mend.
    """
    mends: list[dict[int, list[str]]] = []
    meant: set[str] = set()  # the params whose flags were mistyped: the mend of the flag gives them
    for problem in error.problems[:COMPLETED]:
        if problem.code == "E-REQUIRED" and problem.facts["param"] in meant:
            continue
        mends.append(_complete_one(problem, spec, error.words or []))
        if problem.code == "E-UNKNOWN-FLAG" and mends[-1]:
            meant.add(spec.params[_owner(spec, problem.facts["near"][0])].name)
    if not error.words or not all(mends) or len(error.problems) > COMPLETED:
        return
    merged: dict[int, list[str]] = {}
    for mend in mends:
        for index, new in mend.items():
            before = merged.get(index, [])
            if index == len(error.words) or (before and before[-1] == new[-1] == error.words[index]):
                new = [*(before if index == len(error.words) else before[:-1]), *new]  # all that stands before one word
            merged[index] = new
    words = [new for index, word in enumerate(error.words) for new in merged.get(index, [word])]
    words += merged.get(len(error.words), [])
    missing = _starved(spec, words)
    if missing is None:
        return
    line = [*error.prefix, *words, *missing]
    first = error.problems[0]
    first.facts["line"] = line
    from kernel.words import join

    text = join(line)
    if len(text) <= LONGEST_LINE and not any(problem.secret for problem in error.problems):
        line_hint = f"the line would be `{text}`"
        if first.hint:
            line_hint = f"{first.hint} T{line_hint[1:]}" if first.hint.endswith("?") else f"{first.hint}; {line_hint}"
        first.hint = line_hint


def _complete_one(problem: Problem, spec: ToolSpec, words: list[str]) -> dict[int, list[str]]:
    """Completes one problem; returns the words that would mend it, by the index of what they stand for."""
    where = problem.where
    code, facts = problem.code, problem.facts
    if code == "E-UNKNOWN-KEY":
        meant = near(facts["got"], facts["known"])
        _suggest(problem, meant)
        return {}
    if code == "E-REQUIRED":
        param = spec.param(facts["param"])
        if param is None or param.secret:
            return {}
        ends = "--" in words
        if param.after and not ends:
            return {len(words): ["--", *_written(param)]}
        split = any(spec.params[at].after for at in spec.positionals)  # P5: each side of `--` has its operands
        if ends and not (param.after or (param.positional and not split)):
            return {words.index("--"): [*_written(param), "--"]}
        at_end = param.positional or spec.flags == "anywhere"
        return {len(words): _written(param)} if at_end else {}
    if not isinstance(where, WordPlace) or where.index >= len(words):
        return {}
    word = words[where.index]
    if code == "E-UNKNOWN-FLAG":
        return _mend_flag(problem, spec, words, where.index)
    if code == "E-SUBCOMMAND":
        meant = near(word, facts["wanted"])
        _suggest(problem, meant)
        return {where.index: meant[:1]} if meant else {where.index: []} if word == "--" else {}
    if code == "E-CHOICE" and "got" in facts:
        meant = near(facts["got"], facts["wanted"])
        _suggest(problem, meant)
        if meant and word.endswith(facts["got"]):
            return {where.index: [word[: len(word) - len(facts["got"])] + meant[0]]}
    if code == "E-UNEXPECTED-VALUE" and "flag" in facts and word.startswith(facts["flag"]):
        return {where.index: [facts["flag"]]}
    if code == "E-ARITY" and "flag" in facts:
        had = where.index + len(facts["got"]) - (len(word) > len(facts["flag"]) and bool(facts["got"]))
        if had < len(words):
            return {had: [words[had], *facts["wanted"][len(facts["got"]) :]]}
    return {}


def _mend_flag(problem: Problem, spec: ToolSpec, words: list[str], index: int) -> dict[int, list[str]]:
    word = words[index]
    flag = problem.facts["flag"]
    if flag in spec.spellings:  # S1, S2: a flag of another node of the path
        level = spec.params[spec.spellings[flag]].level
        owner = " ".join(spec.path[: level + 1])
        problem.hint = f"`{flag}` is a flag of `{owner}`: write it right behind `{spec.path[level]}`"
        return {}
    inner = problem.facts["tool"] != spec.full_name  # S1: only this node's own flags stand before the child's name
    level = problem.facts["tool"].count(" ")
    shown = {at for at, param in enumerate(spec.params) if not param.hidden and (not inner or param.level == level)}
    known = [spelling for table in (spec.spellings, spec.negations) for spelling, at in table.items() if at in shown]
    whole = word.partition("=")[0]
    if len(whole) > 2:
        longer = [spelling for spelling in known if len(spelling) > 2]
        meant = near(whole, longer) or (near(f"-{whole}", longer) if whole[:2] != "--" else [])
    else:
        meant = near(whole, known)
    if not meant and flag != whole:
        meant = near(flag, known)
        whole = ""
    _suggest(problem, meant)
    if not meant or not whole:
        return {}
    mended = [meant[0] + word[len(whole) :]]
    param = spec.params[_owner(spec, meant[0])]
    if param.is_flag or param.optional_value is not None or meant[0] in spec.negations:
        return {index: mended}
    wanted = _value_names(param)[1 if "=" in word else 0 :]
    last = index
    names = {*spec.path[1:], *spec.child_names}
    while wanted and last + 1 < len(words) and words[last + 1] not in names and is_operand(words[last + 1], spec):
        last += 1
        wanted = wanted[1:]
    if last == index:
        return {index: [*mended, *wanted]}
    return {index: mended, last: [words[last], *wanted]} if wanted else {index: mended}


def _owner(spec: ToolSpec, spelling: str) -> int:
    """The index of the param that has a spelling; -1 for none."""
    return spec.spellings.get(spelling, spec.negations.get(spelling, -1))


def _suggest(problem: Problem, meant: list[str]) -> None:
    if meant:
        problem.facts["near"] = meant
        others = f" (or {', '.join([f'`{name}`' for name in meant[1:]])})" if len(meant) > 1 else ""
        rest = f" {problem.hint[0].upper()}{problem.hint[1:]}" if problem.hint else ""
        problem.hint = f"did you mean `{meant[0]}`{others}?{rest}"


def _starved(spec: ToolSpec, words: list[str]) -> list[str] | None:
    """The names of operands that a tool's corrected words lack, as a mended flag took what had stood for them.

    None for words that are still no line of the tool: what stood behind the mended word was not read before.
    """
    if len(spec.path) > 1:
        return []
    try:
        check(bind(spec, words), {})
    except KernelError as error:
        if {problem.code for problem in error.problems} & {"E-UNKNOWN-FLAG", "E-SUBCOMMAND", "E-TOO-MANY"}:
            return None
        needed = [spec.param(problem.facts["param"]) for problem in error.problems if problem.code == "E-REQUIRED"]
        missing = [param for param in needed if param and param.positional and not param.env]
        if any(param.after for param in missing):  # its names are there already, where this tool reads no `--`
            return None
        return [name for param in missing for name in _written(param)]
    return []


def _written(param: ParamSpec) -> list[str]:
    """A param with names for its values, as a corrected line shows it."""
    if param.positional:
        return _value_names(param)
    if param.optional_value is not None:  # V8: a value only attached
        return [f"{param.spelling}{'=' if len(param.spelling) > 2 else ''}{_value_names(param)[0]}"]
    return [param.spelling] if param.is_flag else [param.spelling, *_value_names(param)]


def _value_names(param: ParamSpec) -> list[str]:
    return [form(param)] if param.split else slot_names(param)


# What happened to each word


def explanation(bound: Bound, plan: Plan | None = None, error: KernelError | None = None) -> dict[str, Any]:
    """Where every word went and every value came from, as JSON-able data with secrets masked.

    ``words``: {word (index), text, role (flag value operand subcommand separator problem), param?, slot?, hidden?}.
    ``values``: {param, value, origin, hid?: [{origin, text}]}. ``line``: the canonical call, a list of words, None for a
    call that failed. ``argv``, ``builtin``: the child's, with a ``plan``. ``problems``: those of ``error``, or of the
    bound call. ``argv_bytes``: the words in base64, when one is no UTF-8.
    """
    problems = list(error.problems) if error is not None else bound.problems
    replaced: dict[str, list[Trace]] = {}
    for trace in bound.trace:
        if trace.hidden:
            replaced.setdefault(trace.param, []).append(trace)
    given = [param for param in bound.spec.params if param.name in bound.origins]
    out: dict[str, Any] = {
        "tool": bound.spec.full_name,
        "words": _word_rows(bound, problems),
        "values": [_value_row(bound, param, replaced.get(param.name, [])) for param in given],
        "line": None if problems else _masked_line(bound),
        "problems": [problem.to_dict() for problem in problems],
    }
    if plan is not None:
        out["argv"] = plan.masked()
        out["builtin"] = plan.builtin or None
    raw = [word.encode("utf-8", "surrogateescape") for word in bound.words]
    if any(word.decode("utf-8", "replace") != text for word, text in zip(raw, bound.words)):
        from base64 import b64encode

        masked = [word.encode("utf-8", "surrogateescape") for word in masking.words(bound)]
        out["argv_bytes"] = [b64encode(word).decode() for word in masked]
    return out


def _word_rows(bound: Bound, problems: list[Problem]) -> list[dict[str, Any]]:
    params = {param.name: param for param in bound.spec.params}
    rows = [row for trace in bound.trace for row in _trace_rows(bound, trace, params[trace.param])]
    rows += [{"word": index, "text": bound.words[index], "role": "subcommand"} for index in bound.commands]
    if bound.separator >= 0:
        rows.append({"word": bound.separator, "text": "--", "role": "separator"})
    explained = {row["word"] for row in rows}
    shown = masking.words(bound)
    for problem in problems:
        where = problem.where
        if isinstance(where, WordPlace) and where.index not in explained and where.index < len(bound.words):
            explained.add(where.index)
            rows.append({"word": where.index, "text": shown[where.index], "role": "problem", "code": problem.code})
    for index, word in enumerate(shown):
        if index not in explained:  # words that no stage could place, in a line that failed
            rows.append({"word": index, "text": word, "role": "unread"})
    return sorted(rows, key=lambda row: row["word"])


def _trace_rows(bound: Bound, trace: Trace, param: ParamSpec) -> list[dict[str, Any]]:
    extra: dict[str, Any] = {"hidden": True} if trace.hidden else {}
    rows: list[dict[str, Any]] = []
    flag, *values = trace.words
    if flag >= 0:
        rows.append({"word": flag, "text": trace.spelling, "role": "flag", "param": param.name, **extra})
    for at, index in enumerate(values):
        text = bound.words[index]
        if index == flag:  # attached
            text = text[text.find(trace.spelling[-1]) + 1 :] if len(trace.spelling) == 2 else text[len(trace.spelling) :]
            if text[:1] == "=" and (len(trace.spelling) > 2 or param.type not in ("string", "any")):
                text = text[1:]  # V3
        row = {"word": index, "text": "***" if param.secret else text, "role": "value" if flag >= 0 else "operand"}
        slot = {"slot": slot_names(param)[at]} if param.is_tuple and not param.split else {}
        rows.append({**row, "param": param.name, **slot, **extra})
    return rows


def _value_row(bound: Bound, param: ParamSpec, replaced: list[Trace]) -> dict[str, Any]:
    name = param.name
    hid: list[dict[str, Any]] = [{"origin": origin, "text": text} for origin, text in bound.hidden.get(name, ())]
    for trace in reversed(replaced):
        texts = [row["text"] for row in _trace_rows(bound, trace, param) if row["role"] != "flag"]
        hid.insert(0, {"origin": "argv", "text": " ".join(texts) if texts else trace.spelling})
    row: dict[str, Any] = {"param": name, "value": bound.values[name], "origin": bound.origins[name]}
    if param.secret:
        row["value"] = "***"
        hid = [{**one, "text": "***"} for one in hid]
    return {**row, "hid": hid} if hid else row


def _masked_line(bound: Bound) -> list[str]:
    """The canonical line; a secret's text is written as `***`."""
    from kernel.line import call_words

    secrets = [param for param in bound.spec.params if param.secret]
    if secrets:
        shown = Bound(bound.spec, bound.words)
        if not any(param.positional for param in secrets):
            shown.takes = bound.takes
        shown.values, shown.texts, shown.origins = dict(bound.values), dict(bound.texts), bound.origins
        for param in secrets:
            if param.name in shown.texts:
                shown.values[param.name] = _stars(shown.values[param.name])
                shown.texts[param.name] = _stars(shown.texts[param.name])
        bound = shown
    return ["kernel", "call", *call_words(bound)]


def _stars(value: Any) -> Any:
    return [_stars(item) for item in value] if isinstance(value, list) else "***"
