"""`kernel replay ID`: shows a recorded call and runs it again, in its directory and with the same values."""

from __future__ import annotations

import os

from kernel import audit, bind, bind_json, check, dispatch, environment, locate, policy, render, store, system
from kernel.commands import audit as record_view
from kernel.commands import verb
from kernel.errors import KernelError, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ParamSpec, ToolSpec

SPEC = verb.verb(
    "replay",
    "Run a recorded call again, in the directory it was made in. `kernel audit` shows the ids.",
    verb.operand("id", "The call's id, or the beginning of it.", required=True),
    verb.switch("dry_run", "Make all checks and print what would run."),
    verb.switch("yes", "Answer yes where a destructive call is confirmed."),
)
TERMINAL = "/dev/tty"


def run(bound: Bound) -> int:
    """Replays the call attached, and returns its status. Raises KernelError for one that cannot be made again exactly."""
    options = verb.finish(bound).values
    record = _find(options["id"])
    if record["hashed"]:
        names = ", ".join([f"`{name}`" for name in record["hashed"]])
        raise fail("E-RECORD", f"call `{record['id']}` is recorded without the whole of {names}, so it cannot be made again")
    if record["cwd"] == system.GONE:
        raise fail("E-RECORD", f"call `{record['id']}` was made in a directory that no longer existed")
    try:
        os.chdir(record["cwd"])
    except OSError as error:
        raise fail("E-FILE", f"the call was made in `{record['cwd']}`, which cannot be entered: {error.strerror}") from None
    environment.write_error(f"replay: {record_view.call_line(record)}\n")
    call = _bound(record, _spec(record))
    try:
        check.check(call, environment.variables())
        plan = render.render(call)
        policy.judge(plan, yes=options["yes"], ask=not options["dry_run"])
    except KernelError as error:
        from kernel.commands.call import complete

        raise complete(error, call, ("kernel", "call", record["tool"].split(" ")[0])) from None
    if options["dry_run"]:
        from kernel.commands.call import shell_text

        environment.write_out(shell_text(plan))
        return 0
    return dispatch.attached(plan, "replay")


def _find(wanted: str) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for record in audit.records():
        if record["id"].startswith(wanted):
            found.setdefault(record["id"], record)
    if len(found) == 1:
        return found.popitem()[1]
    if found:
        some = [f"`{each}`" for each in list(found)[:5]]
        hint = f"say which: {', '.join(some)}{' …' if len(found) > len(some) else ''}"
        raise fail("E-RECORD", f"`{wanted}` begins the ids of {len(found)} calls", hint=hint)
    raise fail("E-RECORD", f"no call with the id `{wanted}` is recorded", hint="`kernel audit` shows the ids")


def _spec(record: dict[str, Any]) -> ToolSpec:
    """The root of the recorded tool: of the manifest that was used then."""
    file, name = record["file"], record["tool"].split(" ")[0]
    if not file:
        raise fail("E-RECORD", f"call `{record['id']}` was of a tool without a manifest, so it cannot be made again")
    same = audit.manifest_hash(file) == record["manifest"]
    directories = locate.search_path()
    found = locate.find(name, directories)
    if found is None or found.file != file:
        if not same:
            raise fail("E-RECORD", f"the manifest of the call, `{file}`, is not found from here, or has changed")
        found = locate.find(name, locate.search_path([os.path.dirname(file)]))
    if found is None:
        raise fail("E-RECORD", f"the manifest of the call, `{file}`, is gone")
    if not same:
        environment.write_error(f"warning: `{file}` has changed since the call was made\n")
    return store.load(found)


def _bound(record: dict[str, Any], spec: ToolSpec) -> Bound:
    """The call bound again: its words where they are whole, else its values, with the secrets asked for."""
    if record["words"] is not None and not record["secrets"]:
        return bind.bind(spec, record["words"])
    for part in record["tool"].split(" ")[1:]:
        child = spec.child(part)
        if child is None:
            raise fail("E-RECORD", f"`{spec.full_name}` has no subcommand `{part}` any more")
        spec = child
    if spec.unknown_flags == "pass":
        raise fail("E-RECORD", f"`{spec.full_name}` passes words on, among which a secret cannot be put back")
    values = dict(record["values"])
    for name in record["secrets"]:
        param = spec.param(name)
        del values[name]
        if param is not None and not (param.env and param.env in environment.variables()):
            values[name] = _ask(param)
    return bind_json.bind_mapping(spec, values)


def _ask(param: ParamSpec) -> str:
    """A secret from the person at the terminal, which does not show it. Raises KernelError (E-SECRET) without one."""
    import getpass

    if not param.repeatable and not param.is_tuple and os.path.exists(TERMINAL):
        try:
            with open(TERMINAL, "rb+", buffering=0):
                pass
            return getpass.getpass(f"{param.name}: ")
        except (OSError, EOFError):
            pass
    how = f"set `{param.env}`" if param.env else "call the tool with it"
    raise fail("E-SECRET", f"the secret `{param.name}` is not recorded, and there is no terminal to ask for it", hint=how)
