"""`kernel call [OPTIONS] TOOL WORDS…` (running.md X0): the kernel's own options stand before TOOL."""

from __future__ import annotations

from kernel import bind, check, dispatch, environment, locate, policy, render, store, system, words
from kernel.bound import Bound
from kernel.commands import verb
from kernel.errors import KernelError, WordPlace, fail
from kernel.plan import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.result import Result

APIS = ("openai", "anthropic", "gemini")  # whose tool calls are read
SPEC = verb.verb(
    "call",
    "Run a tool. Every word after TOOL is the tool's own.",
    verb.switch("json", "Print the result as one JSON object."),
    verb.switch("dry_run", "Make all checks and print what would run."),
    verb.switch("yes", "Answer yes where a destructive call is confirmed."),
    verb.option("timeout", "End the call after this time: digits and ms, s, m or h.", "DURATION"),
    verb.option("args_json", "The arguments as one JSON object: the text, @FILE, or - for stdin.", "JSON"),
    verb.TOOLS,
    verb.option("workspace", "Hold every path of the call to this directory.", "DIR", complete="dir"),
    verb.switch("exec", "The operands are a command with {placeholders}, not a tool; values come by --args-json."),
    verb.option("input_schema", "With --exec: the JSON Schema of the values, the text or @FILE.", "JSON"),
    verb.option("allow_dash", "With --exec: a value that may begin with a dash.", "FIELD", repeatable=True),
    verb.option("openai", "Make the tool call of OpenAI's APIs in this JSON (text, @FILE, -); print its result object.", "JSON"),
    verb.option("anthropic", "The same for a `tool_use` block of Anthropic's API.", "JSON"),
    verb.option("gemini", "The same for a `functionCall` part of the Gemini API.", "JSON"),
    verb.operand("tool", "The tool's name.", complete="tool"),
    verb.operand("words", "The tool's words.", repeatable=True),
    flags="before-operands",
    groups=tuple([("exclusive", (name, *APIS)) for name in ("tool", "json", "args_json", "exec")]),
)
OWN = frozenset(SPEC.spellings)  # spellings that stand before TOOL
MAXIMUM = 16 * 1024 * 1024  # bytes of a JSON text that are read


def run(bound: Bound) -> int:
    """Runs the call. With `--json` one object is printed whatever happens, and an error is raised all the same."""
    for api in APIS:
        if api in bound.values:
            return _of_model(verb.finish(bound).values, api)
    if bound.values.get("json") is not True:
        return _attached(bound)
    from kernel import audit
    from kernel.present import json

    try:
        plan = _plan(verb.finish(bound).values)
        if isinstance(plan, int):
            return plan
        if bound.values["dry_run"]:
            shown = plan.to_dict()
            exact = json.argv_bytes(plan.masked())
            json.write(shown if exact is None else {**shown, "argv_bytes": exact})
            return 0
        result = dispatch.captured(plan)
        audit.note("json", plan.bound, result, plan)
    except Exception as error:
        json.write(json.failed(error))
        raise
    json.write(json.result(result))
    if result.data_fault:
        what = f"the output of `{plan.spec.full_name}` is not the JSON that it declares"
        verb.warn([f"{what}, so `data` is null: {result.data_fault}"])
    return _ended(result)


def _attached(bound: Bound) -> int:
    plan = _plan(verb.finish(bound).values)
    if isinstance(plan, int):
        return plan
    if bound.values["dry_run"]:
        environment.write_out(shell_text(plan))
        return 0
    return dispatch.attached(plan)


def _plan(options: dict[str, Any]) -> Plan | int:
    """The judged plan of a call, or the exit status when its help was asked for instead."""
    directories = verb.directories(options)
    if "tool" not in options:
        if options["exec"]:
            hint = "write the program and its words behind it: `kernel call --exec echo '{text}'`"
            raise fail("E-REQUIRED", "`--exec` wants a command, got none", hint=hint)
        from kernel import faults

        problem = faults.required_problem(SPEC.params[SPEC.positionals[0]], False)
        problem.hint += verb.LISTED
        raise KernelError([problem])
    if options["exec"]:
        bound = _ad_hoc(options)
        prefix: tuple[str, ...] = ("kernel", "call", "--exec")
    else:
        _only_with_exec(options)
        prefix = ("kernel", "call", options["tool"])
        bound = _arguments(options, directories)
        if bound.problems and verb.wants_help(bound):
            return _help(bound, options["json"])
    return _judged(bound, options, prefix)


def _judged(bound: Bound, options: dict[str, Any], prefix: tuple[str, ...]) -> Plan:
    try:
        check.check(bound, environment.variables())
        verb.warn(bound.deprecations())
        plan = render.render(bound)
        if "timeout" in options:
            plan.timeout = duration(options["timeout"])
        policy.judge(plan, yes=options["yes"], workspace=_workspace(options), ask=not options["dry_run"])
    except KernelError as error:
        raise complete(error, bound, prefix) from None
    return plan


def _workspace(options: dict[str, Any]) -> str:
    """The directory that the paths of the call are held to, "" for none. Raises E-FILE for one that is not there."""
    workspace: str = options.get("workspace", "")
    if "workspace" in options and not system.isdir(workspace):
        raise fail("E-FILE", f"the workspace `{workspace}` is no directory", hint="`--workspace` takes a directory")
    return workspace


def _of_model(options: dict[str, Any], api: str) -> int:
    """Makes the call that a model asked for. The API's result object is printed whatever comes of it; errors are raised too."""
    from kernel import audit
    from kernel.commands import model_call
    from kernel.present import answer, json

    text, source = _text(options[api], f"--{api}")
    asked = model_call.read(api, text, source)
    bound = plan = None
    try:
        bound = asked.bind(verb.directories(options))
        plan = _judged(bound, options, ("kernel", "call", f"--{api}", options[api]))
        if options["dry_run"]:
            json.write(asked.answer(shell_text(plan), is_error=False))
            return 0
        result = dispatch.captured(plan, stdin=b"")
        audit.note(api, bound, result, plan)
        if result.error is not None and not result.timed_out:
            raise result.error
    except KernelError as error:
        if bound is not None and plan is None and not options["dry_run"]:
            audit.note_refused(api, bound, error)
        json.write(asked.answer(answer.of_error(error), is_error=True))
        raise
    json.write(asked.answer("\n".join(answer.of_result(result)), is_error=not result.ok))
    return _ended(result)


def _ended(result: Result) -> int:
    """The exit status that the plain call would have. Raises the error of one that could not be made, or ran too long."""
    if result.error is not None:
        raise result.error
    return result.exit_code or 0 if result.signal is None else dispatch.end_by_signal(result.signal)


def _help(bound: Bound, as_json: bool) -> int:
    """The manual of the tool; as the stdout of a result where exactly one object is wanted."""
    from kernel.present import manual

    if not as_json:
        manual.show(bound.spec)
        return 0
    from kernel.present import json, plain
    from kernel.result import Result

    result = Result()
    result.exit_code, result.status = 0, "ok"
    result.stdout_bytes = plain.draw(manual.sections(bound.spec)).encode("utf-8", "replace")
    json.write(json.result(result))
    return 0


def _arguments(options: dict[str, Any], directories: list[locate.Directory]) -> Bound:
    typed = [options["tool"], *options["words"]]
    if "args_json" not in options:
        return bind.bind(store.by_name(typed[0], directories), typed[1:])
    from kernel import bind_json
    from kernel.commands import resolve

    spec, rest = resolve.leaf(typed, directories)
    if rest:
        error = fail(
            "E-TOO-MANY",
            f"`{rest[0]}` stands after the tool while `--args-json` gives its arguments",
            WordPlace(len(typed) - len(rest)),
            "give the arguments as words or as JSON, not both",
        )
        error.words, error.prefix = typed, ("kernel", "call", "--args-json", "…")
        raise error
    text, source = _text(options["args_json"], "--args-json")
    return bind_json.bind_text(spec, text, source)


def _ad_hoc(options: dict[str, Any]) -> Bound:
    """The command behind `--exec` as a tool of its own (input-schemas.md), bound to the JSON arguments."""
    from kernel import bind_json, input_schema

    schema = None
    if "input_schema" in options:
        schema, _ = _text(options["input_schema"], "--input-schema")
    spec = input_schema.ad_hoc([options["tool"], *options["words"]], schema, tuple(options["allow_dash"]))
    text, source = _text(options.get("args_json", "{}"), "--args-json")
    return bind_json.bind_text(spec, text, source)


def _only_with_exec(options: dict[str, Any]) -> None:
    for name in ("input_schema", "allow_dash"):
        if options.get(name):
            flag = SPEC.params[[param.name for param in SPEC.params].index(name)].spelling
            message = f"`{flag}` speaks of `--exec`, which is not given"
            raise fail("E-GROUP", message, hint="put `--exec` before the command")


def _text(value: str, flag: str) -> tuple[str, str]:
    """The text that an option names, and what messages call it: itself, @FILE, or `-` for stdin."""
    if value == "-":
        return _decoded(_read(0, "stdin"), "stdin"), "stdin"
    if not value.startswith("@"):
        return value, flag
    import os

    file = value[1:]
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise fail("E-FILE", f"`{flag}` names `{file}`, which cannot be read: {why}") from None
    try:
        return _decoded(_read(descriptor, file), file), file
    finally:
        os.close(descriptor)


def _read(descriptor: int, source: str) -> bytes:
    import os

    parts, size = [], 0
    try:
        while part := os.read(descriptor, 1 << 20):
            parts.append(part)
            size += len(part)
            if size > MAXIMUM:
                raise fail("E-JSON", f"`{source}` holds more than {MAXIMUM // 1024 // 1024} MiB")
    except OSError as error:
        raise fail("E-FILE", f"`{source}` cannot be read: {error.strerror}") from None
    return b"".join(parts)


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise fail("E-JSON", f"`{source}` is not UTF-8: byte {error.start + 1} is `{data[error.start]:#04x}`") from None


def shell_text(plan: Plan) -> str:
    """What would run: one pasteable shell line, behind comments for its environment, directory and stdin."""
    from kernel.present.printable import printable

    shown = plan.to_dict()
    comments = [f"# env: {name}={words.quote(value)}" for name, value in shown["env"].items()]
    if shown["cwd"]:
        comments.append(f"# cwd: {words.quote(shown['cwd'])}")
    stdin = shown["stdin"]
    if stdin != "caller":
        comments.append(f"# stdin: {stdin if isinstance(stdin, str) else words.quote(stdin['text'])}")
    return "".join([f"{printable(line)}\n" for line in comments]) + words.join(shown["argv"]) + "\n"


def complete(error: KernelError, bound: Bound, prefix: tuple[str, ...]) -> KernelError:
    """The error with all a person needs: the words as typed (secrets masked), near names, the corrected line."""
    from kernel import explain, masking

    error.words, error.prefix = masking.words(bound), prefix
    explain.complete(error, bound.spec)
    _point_forward(error, prefix)
    for problem in error.problems:
        if problem.code == "E-UNKNOWN-FLAG" and not problem.hint:
            problem.hint = f"`kernel help {bound.spec.full_name}` lists its flags"
        elif problem.code == "E-USAGE" and not problem.hint:
            problem.hint = f"`kernel help {bound.spec.full_name}` shows its usage"
        elif problem.code == "E-SUBCOMMAND" and problem.where is None:
            from kernel.present import manual

            problem.hint = f"{problem.hint}\nusage: {manual.usage(bound.spec)}"  # S1
    return error


def _point_forward(error: KernelError, prefix: tuple[str, ...]) -> None:
    """Hints for options of the kernel typed behind the tool: the line with them in front of it (X0)."""
    typed = error.words or []
    moved: dict[int, list[int]] = {}
    for problem in error.problems:
        if problem.code == "E-UNKNOWN-FLAG" and isinstance(problem.where, WordPlace):
            index = problem.where.index
            name, equals, _ = typed[index].partition("=")
            if name in OWN:
                takes = not equals and not SPEC.params[SPEC.spellings[name]].is_flag and index + 1 < len(typed)
                moved[index] = [index, index + 1] if takes else [index]
    front = [typed[index] for indices in moved.values() for index in indices]
    gone = {index for indices in moved.values() for index in indices}
    left = [word for index, word in enumerate(typed) if index not in gone]
    for problem in error.problems:
        if isinstance(problem.where, WordPlace) and problem.where.index in moved:
            line = words.join([*prefix[:2], *front, *prefix[2:], *left])
            problem.hint = f"an option of the kernel stands before the tool: `{line}`"


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str) -> float:
    """Seconds of a duration: digits and `ms`, `s`, `m` or `h`. Raises KernelError; a bare number is no duration."""
    digits = text.rstrip("msh")
    unit = text[len(digits) :]
    if digits.isascii() and digits.isdigit() and unit in _UNITS and len(digits) < 10 and int(digits):
        return int(digits) * _UNITS[unit]
    bare = text.isascii() and text.isdigit() and len(text) < 10 and int(text)
    hint = f"write `--timeout {text}s`" if bare else "write it as in `--timeout 30s`"
    if len(digits) >= 10 and digits.isascii() and digits.isdigit():
        hint = "write at most nine digits; without the option a call may take as long as its manifest says"
    raise fail("E-TYPE", f"`--timeout` wants a time such as `500ms`, `30s` or `5m`, got `{text[:60]}`", hint=hint)
