"""No value of a caller's becomes an option, a command or a file access of a shipped tool's program."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import shipped
from kernel_case import Case

from kernel import bind, bind_json, check, needs, policy, render
from kernel.errors import KernelError
from kernel.plan import Plan
from kernel.spec import ParamSpec, ToolSpec

LEAVES = {
    node.full_name: node
    for name in shipped.NAMES
    for node in shipped.leaves(shipped.spec_of(name))
    if node.has_exec and not node.children and node.name != "jq"
}
HOSTILE = (
    "--output=pwned",
    "-opwned",
    "--pre=./evil",
    "--to-command=./evil",
    "-exec",
    "-delete",
    "--",
    "-oProxyCommand=./evil",
    "@secret",
    "ext::sh -c ./evil",
    "| ./evil",
    "$(./evil)",
)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    made = shipped.fill(Case(tmp_path))
    made.script("evil", "echo pwned >> pwned\necho pwned >> ../pwned\n")
    made.file("secret", "secret\n")
    return made


def plan_of(name: str, arguments: dict[str, Any]) -> Plan:
    """The judged plan of a call by JSON. Raises KernelError where any stage refuses it."""
    bound = bind_json.bind_mapping(LEAVES[name], arguments)
    plan = render.render(check.check(bound, {}))
    policy.judge(plan, yes=True)
    return plan


def run(case: Case, name: str, arguments: dict[str, Any], cwd: str = "") -> subprocess.CompletedProcess[bytes] | None:
    """Runs the plan's argv in the case's directory, None where it is refused; a program that is missing skips."""
    missing = needs.missing(shipped.spec_of(LEAVES[name].path[0]))
    if missing:
        pytest.skip(missing[0].message)
    try:
        plan = plan_of(name, arguments)
    except KernelError:
        return None
    environment = {**case.env, **{key: "".join(piece.text for piece in pieces) for key, pieces in plan.env.items()}}
    words = [os.fsencode(word) for word in plan.argv()]
    return subprocess.run(
        words, cwd=case.cwd / cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )


def is_pwned(case: Case) -> bool:
    return any((place / "pwned").exists() for place in (case.cwd, case.root, case.cwd / "repository"))


def base_of(node: ToolSpec) -> dict[str, Any]:
    """Values for the required params, from the first example that is not bound by a subcommand of another name."""
    words = list(node.examples[0]["run"][1:])
    bound = bind.bind(shipped.spec_of(node.path[0]), words)
    required = {param.name for param in node.params if param.required}
    return {name: value for name, value in bound.values.items() if name in required}


def variants(param: ParamSpec, value: str) -> Iterator[Any]:
    """The value in each place of the param."""
    if not param.is_tuple:
        yield [value] if param.repeatable else value
        return
    for place in range(len(param.slots)):
        entry = ["1"] * len(param.slots)
        entry[place] = value
        yield [entry] if param.repeatable else entry


def is_free_text(param: ParamSpec) -> bool:
    return any(slot.type in ("string", "any", "json") and not slot.choices for slot in param.slots)


FREE = [(name, param) for name, node in LEAVES.items() for param in node.params if is_free_text(param) and not param.secret]


@pytest.mark.parametrize(("name", "param"), FREE, ids=[f"{name}-{param.name}" for name, param in FREE])
def test_a_hostile_value_stays_a_value(name: str, param: ParamSpec) -> None:
    """It is refused, or stands behind `--`, or is attached to literal text, or is the word right behind its own flag."""
    node = LEAVES[name]
    for hostile in HOSTILE:
        if hostile[0] != "-":
            continue
        for value in variants(param, hostile):
            try:
                plan = plan_of(name, {**base_of(node), param.name: value})
            except KernelError:
                continue
            argv = plan.argv()
            literal = [not item.pieces or not item.pieces[0].param for item in plan.items]
            for index, item in enumerate(plan.items):
                pieces = item.pieces
                if literal[index] or not item.text().startswith("-") or pieces[0].param != param.name:
                    continue
                end = next((at for at, word in enumerate(argv) if word == "--" and literal[at]), len(argv))
                own = {*param.spellings, "-name", "-path"} if name == "find-files" else set(param.spellings)
                behind_flag = literal[index - 1] and argv[index - 1] in own
                assert index > end or behind_flag or (param.is_tuple and not item.judged), (hostile, argv)


SEPARATE = [
    (name, param)
    for name, param in FREE
    if param.emit == "separate"
    and param.optional_value is None
    and not param.positional
    and name.split(" ")[0] not in ("docker", "kubectl", "curl-get", "http")
]


@pytest.mark.parametrize(("name", "param"), SEPARATE, ids=[f"{name}-{param.name}" for name, param in SEPARATE])
def test_the_program_takes_the_word_behind_a_flag_as_its_value(case: Case, name: str, param: ParamSpec) -> None:
    before = sorted(path.name for path in case.cwd.rglob("*"))
    for hostile in ("--output=pwned", "-opwned", "-delete", "--", "@secret", "| ./evil"):
        for value in variants(param, hostile):
            run(case, name, {**base_of(LEAVES[name]), param.name: value})
    assert not is_pwned(case)
    assert sorted(path.name for path in case.cwd.rglob("*")) == before


PATHS = [(name, param) for name, node in LEAVES.items() for param in node.params if any(slot.path for slot in param.slots)]


@pytest.mark.parametrize(("name", "param"), PATHS, ids=[f"{name}-{param.name}" for name, param in PATHS])
def test_a_path_outside_the_workspace_is_refused(tmp_path: Path, name: str, param: ParamSpec) -> None:
    node = LEAVES[name]
    for outside in ("/etc/hostname", "../outside"):
        bound = bind_json.bind_mapping(node, {**base_of(node), param.name: next(variants(param, outside))})
        try:
            plan = render.render(check.check(bound, {}))
        except KernelError as error:
            assert error.code in ("E-PATTERN", "E-GROUP", "E-OPERAND-GAP"), str(error)
            continue
        with pytest.raises(KernelError) as refused:
            policy.judge(plan, ask=False, workspace=str(tmp_path), cwd=str(tmp_path))
        assert refused.value.code == "E-PATH"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rg", {"pattern": "--pre=./evil", "paths": ["notes"]}),
        ("rg", {"pattern": "x", "paths": ["--pre=./evil"]}),
        ("rg", {"pattern": "x", "glob": ["--pre=./evil"]}),
        ("rg-files", {"paths": ["--pre=./evil"]}),
        ("find-files", {"paths": ["-delete"]}),
        ("find-files", {"paths": ["notes", "-exec", "./evil", ";"]}),
        ("find-files", {"paths": ["notes"], "name": ["x", ")", "-delete"]}),
        ("find-files", {"paths": ["!"], "name": ["-delete"]}),
        ("sed-filter", {"script": "1e ./evil", "files": ["table.txt"]}),
        ("sed-filter", {"script": "w pwned", "files": ["table.txt"]}),
        ("sed-filter", {"script": "s/.*/.\\/evil/e", "files": ["table.txt"]}),
        ("sed-filter", {"script": "s/a/b/w pwned", "files": ["table.txt"]}),
        ("sed-filter", {"script": "p", "files": ["--expression=w pwned", "table.txt"]}),
        ("awk", {"program": 'BEGIN { system("./evil") }'}),
        ("awk", {"program": 'BEGIN { print "x" > "pwned" }'}),
        ("awk", {"program": 'BEGIN { print "x" | "./evil" }'}),
        ("awk", {"program": 'BEGIN { "./evil" | getline }'}),
        ("awk", {"program": '@load "filefuncs"\nBEGIN { print "x" > "pwned" }'}),
        ("awk", {"program": "--dump-variables=pwned"}),
        ("awk", {"program": "1", "files": ["--dump-variables=pwned"]}),
        ("awk", {"program": "BEGIN { print FIELDWIDTHS }", "field_separator": "--dump-variables=pwned"}),
        ("sqlite3", {"database": "shop.db", "sql": ".shell ./evil"}),
        ("sqlite3", {"database": "shop.db", "sql": ".output pwned\nselect 1;"}),
        ("sqlite3", {"database": "shop.db", "sql": ".trace pwned"}),
        ("sqlite3", {"database": "shop.db", "sql": ".testcase x"}),
        ("sqlite3", {"database": "shop.db", "sql": "select 1;\n.shell ./evil\n"}),
        ("sqlite3", {"database": "shop.db", "sql": "attach 'pwned' as p; create table p.t (a);"}),
        ("sqlite3", {"database": "shop.db", "sql": "vacuum into 'pwned'"}),
        ("sqlite3", {"database": "shop.db", "sql": "select writefile('pwned', 'x')"}),
        ("sqlite3", {"database": "shop.db", "sql": "select edit('x', './evil')"}),
        ("sqlite3", {"database": "file:pwned?mode=rwc", "sql": "create table t (a)"}),
        ("sqlite3", {"database": "-cmd", "sql": ".shell ./evil"}),
        ("tar-list", {"archive": "notes.tar.gz", "members": ["--to-command=./evil"]}),
        ("tar-list", {"archive": "localhost:notes.tar", "members": []}),
        ("tar-list", {"archive": "-I./evil"}),
        ("tar-extract", {"archive": "notes.tar.gz", "members": ["--to-command=./evil"], "directory": "out"}),
        ("tar-extract", {"archive": "notes.tar.gz", "exclude": ["--checkpoint-action=exec=./evil"], "directory": "out"}),
        ("tar-extract", {"archive": "notes.tar.gz", "directory": "out", "one_top_level": "../.."}),
        ("diff", {"files": ["old.txt", "--output=pwned"]}),
        ("od", {"files": ["notes/a.txt", "+1"]}),
        ("zip-list", {"archive": "notes.zip", "members": ["-v"]}),
        ("tree", {"directories": ["-opwned"]}),
        ("tree", {"pattern": ["-opwned"]}),
        ("json-tool", {"infile": "-mevil"}),
        ("ffprobe", {"file": "concat:notes/a.txt|notes/b.md"}),
        ("ffprobe", {"file": "./x", "show_entries": "-report"}),
        ("x509", {"file": "-out", "nameopt": "pwned"}),
        ("curl-get", {"url": "file:///etc/hostname"}),
        ("curl-get", {"url": "http://127.0.0.1:9/", "header": [["@secret", "x"]]}),
        ("curl-get", {"url": "http://127.0.0.1:9/", "range": "-opwned"}),
        ("http", {"method": "GET", "url": "http://127.0.0.1:9/", "header": [["X", "@secret"]]}),
    ],
)
def test_nothing_is_run_written_or_deleted(case: Case, name: str, arguments: dict[str, Any]) -> None:
    allowed = {"out", "notes"} if name == "tar-extract" else set()
    before = {str(path.relative_to(case.cwd)) for path in case.cwd.rglob("*")}
    run(case, name, arguments)
    assert not is_pwned(case)
    after = {str(path.relative_to(case.cwd)) for path in case.cwd.rglob("*")}
    assert {path for path in before ^ after if path.split("/")[0] not in allowed} == set()


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("git log", {"revisions": ["--output=pwned"]}, "E-PATTERN"),
        ("git diff", {"revisions": ["--no-index"], "paths": ["a", "b"]}, "E-PATTERN"),
        ("git show", {"revisions": ["--ext-diff"]}, "E-PATTERN"),
        ("git grep", {"pattern": "x", "revisions": ["-O./evil"]}, "E-PATTERN"),
        ("git blame", {"file": "x", "revision": "--contents=/etc/hostname"}, "E-PATTERN"),
        ("find-files", {"paths": ["("]}, "E-PATTERN"),
        ("docker ps", {"host": "ssh://-oProxyCommand=./evil"}, "E-PATTERN"),
        ("docker logs", {"container": "--config=x"}, "E-PATTERN"),
        ("docker inspect", {"names": ["-f"]}, "E-PATTERN"),
        ("kubectl get", {"resources": ["--kubeconfig=x"]}, "E-PATTERN"),
        ("kubectl get", {"resources": ["pods"], "output": "jsonpath-file=/etc/hostname"}, "E-PATTERN"),
        ("kubectl get", {"filename": ["https://example.org/x.yaml"]}, "E-PATTERN"),
        ("curl-get", {"url": "-o/tmp/x"}, "E-PATTERN"),
        ("curl-get", {"url": "http://h/", "header": [["X", "a\r\nY: b"]]}, "E-PATTERN"),
        ("curl-get", {"url": "http://h/", "token": 'x"\noutput = "pwned'}, "E-PATTERN"),
        ("http", {"method": "GET", "url": "file:///etc/hostname"}, "E-PATTERN"),
        ("http", {"method": "GET", "url": "http://h/", "query": [["q", "@secret"]]}, "E-PATTERN"),
        ("http", {"method": "GET", "url": "http://h/", "header": [["X", "=@secret"]]}, "E-PATTERN"),
    ],
)
def test_refused(name: str, arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(KernelError) as refused:
        plan_of(name, arguments)
    assert refused.value.code == code


def test_what_a_repository_configures_is_not_run(case: Case) -> None:
    """fsmonitor, pager, external diff, text conversion, hooks and gpg of a hostile repository."""
    if needs.missing(shipped.spec_of("git")):
        pytest.skip("`git` is not installed")
    place = shipped.repository(case)
    evil = str(case.cwd / "evil")
    (place / ".gitattributes").write_text("* diff=evil\n")
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.evil.command", "diff.evil.textconv", "gpg.program"):
        subprocess.run(["git", "config", key, evil], cwd=place, check=True)
    subprocess.run(["git", "config", "log.showSignature", "true"], cwd=place, check=True)
    hook = place / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{evil}\n")
    hook.chmod(0o755)
    os.utime(place / "fruit.txt")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("git status", {}),
        ("git diff", {}),
        ("git diff", {"revisions": ["HEAD~1"]}),
        ("git log", {"patch": True, "format": "%G? %h"}),
        ("git show", {}),
        ("git blame", {"file": "fruit.txt"}),
        ("git grep", {"pattern": "apple"}),
        ("git ls-files", {"modified": True}),
        ("git branch", {}),
        ("git tag", {}),
    ]
    for name, arguments in calls:
        done = run(case, name, arguments, cwd="repository")
        assert done is not None
        assert done.returncode == 0, (name, done.stderr)
        assert not is_pwned(case), name


def test_what_the_environment_adds_is_not_run(case: Case) -> None:
    case.env["TAR_OPTIONS"] = "--to-command=./evil"
    case.env["RIPGREP_CONFIG_PATH"] = str(case.cwd / "config")
    case.env["GIT_EXTERNAL_DIFF"] = str(case.cwd / "evil")
    case.file("config", "--pre=./evil\n").file(".sqliterc", ".shell ./evil\n")
    case.env["HOME"] = str(case.cwd)
    for name, arguments in (
        ("tar-extract", {"archive": "notes.tar.gz", "directory": "out"}),
        ("rg", {"pattern": "needle", "paths": ["notes"]}),
        ("sqlite3", {"database": "shop.db", "sql": "select 1"}),
    ):
        assert run(case, name, arguments) is not None
    assert not is_pwned(case)


class _Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "file:///etc/hostname")
            self.end_headers()
            return
        body = (
            f"{self.path} {self.headers.get('X-Test')} {self.headers.get('Cookie')} {self.headers.get('Authorization')}\n".encode()
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_curl_sends_what_was_asked_for(case: Case, address: str) -> None:
    if needs.missing(shipped.spec_of("curl-get")):
        pytest.skip("`curl` is not installed")
    words = ["call", "curl-get", "-H", "X-Test: @secret", "-b", "a=b", "-G", "q", "@secret&co", "-w", "status", f"{address}/x"]
    outcome = case.run(words, env={"CURL_GET_TOKEN": "t0ken"}).ok()
    assert outcome.stdout == "/x?q=%40secret%26co @secret a=b Bearer t0ken\n\n200\n"
    away = case.run(["call", "curl-get", "-L", f"{address}/away"])
    assert (away.exit, away.stdout) == (1, "")


def test_httpie_sends_what_was_asked_for(case: Case, address: str) -> None:
    if needs.missing(shipped.spec_of("http")):
        pytest.skip("`http` is not installed")
    words = ["call", "http", "GET", f"{address}/x", "--header", "X-Test", "one:=2", "--query", "q", "a==b:c d", "-b"]
    assert case.run(words).ok().stdout == "/x?q=a%3D%3Db%3Ac+d one:=2 None None\n"
