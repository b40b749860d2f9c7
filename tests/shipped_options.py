"""The options that real programs list on their help pages; run as a script to record those of this machine.

An option is a group of spellings that one line of the page names: ``-q --quiet``.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECORD = Path(__file__).resolve().parent / "corpus/shipped/options.json"
_OPTION = re.compile(r"(--?[^\s,=\[<{:]+)(?:[\[=<(]\S*?(?=,? |$))?(?: (?:<[^>]+>|[A-Z][\w:|\[\]]*|[a-z-]+(?=, --)))?(?:,? +|$)")


def columns(page: str) -> list[str]:
    """The usual page: each line that begins with an option names it, its arguments and its other spellings."""
    groups = []
    for line in page.splitlines():
        rest = line.strip()
        spellings = []
        while match := _OPTION.match(rest) if rest.startswith("-") else None:
            spellings.append(match[1])
            rest = rest[match.end() :]
        if spellings and spellings[0] not in ("--", "-NUM") and not spellings[0].endswith(")"):
            groups.append(" ".join(spellings))
    return groups


def words(page: str) -> list[str]:
    """A page that lists options in running text."""
    return re.findall(r"(?<![\w/\[-])--?[a-zA-Z][\w-]*", page)


def first_words(page: str) -> list[str]:
    """A page whose lines begin with one option and its argument."""
    return [match[1] for line in page.splitlines() if (match := re.match(r" *(--?[^\s-]\S*)(?: |$)", line))]


def _find(page: str) -> list[str]:
    return words(page.partition("Operators")[2].partition("Valid arguments")[0].replace("+N or -N", ""))


def _git(page: str) -> list[str]:
    return sorted({word.partition("=")[0] for word in words(page.partition("<command>")[0].replace("[", " ").replace("|", " "))})


def _gawk(page: str) -> list[str]:
    lines = [line for line in page.splitlines() if line.startswith("\t-")]
    return [" ".join(re.sub(r"[\[=].*", "", word) for word in line.split() if word.startswith("-")) for line in lines]


def _sqlite(page: str) -> list[str]:
    return ["-header -noheader" if word == "-[no]header" else word for word in first_words(page)]


def _http(page: str) -> list[str]:
    return columns("\n".join(line.partition(" |")[0] for line in page.splitlines() if re.match(r"  -\S", line)))


def _ps(page: str) -> list[str]:
    found = [" ".join(re.findall(r"(?<!\S)--?[A-Za-z][\w-]*", line[:26].strip().partition("   ")[0])) for line in page.splitlines()]
    return [group for group in found if group] + re.findall(r"^ *\w, +(--[\w-]+)", page, re.MULTILINE)


def _zipinfo(page: str) -> list[str]:
    return re.findall(r"(?:^|\s)(-\w)  ", page.partition("main listing")[2], re.MULTILINE)


def _media(page: str) -> list[str]:
    return first_words(page.partition("AVFormatContext")[0])


_GIT = ("log", "diff", "grep", "status", "blame", "branch", "tag", "ls-files")
_KUBECTL = ("get", "describe", "logs", "events", "explain", "api-resources")
Page = tuple[list[str], Callable[[str], list[str]]]
# full name of the tool's node: the command that prints its page, and how the page is read
PAGES: dict[str, Page] = {
    "awk": (["gawk", "--help"], _gawk),
    "curl-get": (["curl", "--help", "all"], columns),
    "df": (["df", "--help"], columns),
    "diff": (["diff", "--help"], columns),
    "docker": (["docker", "--help"], columns),
    **{f"docker {name}": (["docker", name, "--help"], columns) for name in ("ps", "logs", "images", "inspect", "stats", "version")},
    "du": (["du", "--help"], columns),
    "ffprobe": (["ffprobe", "-h"], _media),
    "file": (["file", "--help"], columns),
    "find-files": (["find", "--help"], _find),
    "git": (["git", "--help"], _git),
    **{f"git {name}": (["git", name, "-h"], columns) for name in _GIT},
    "http": (["http", "--help"], _http),
    "json-tool": (["python3", "-I", "-m", "json.tool", "--help"], columns),
    "kubectl": (["kubectl", "options"], columns),
    **{f"kubectl {name}": (["kubectl", name, "--help"], columns) for name in _KUBECTL},
    **{f"kubectl top-{name}": (["kubectl", "top", name, "--help"], columns) for name in ("pod", "node")},
    "od": (["od", "--help"], columns),
    "ps": (["ps", "--help", "all"], _ps),
    "rg": (["rg", "-h"], columns),
    "sed-filter": (["sed", "--help"], columns),
    "sqlite3": (["sqlite3", "-help"], _sqlite),
    "stat": (["stat", "--help"], columns),
    "tar-extract": (["tar", "--help"], columns),
    "tar-list": (["tar", "--help"], columns),
    "tree": (["tree", "--help"], first_words),
    "x509": (["openssl", "x509", "-help"], first_words),
    "zip-list": (["zipinfo"], _zipinfo),
}
_VERSIONS = {"docker": ["docker", "--version"], "kubectl": ["kubectl", "version", "--client"], "ffprobe": ["ffprobe", "-version"]}
_VERSIONS |= {"zipinfo": ["zipinfo"], "openssl": ["openssl", "version"]}


def installed(node: str) -> str:
    """The path of the node's program, "" where it is missing."""
    return shutil.which(PAGES[node][0][0]) or ""


def listed(node: str) -> list[str]:
    """What the installed program lists, sorted."""
    command, read = PAGES[node]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd="/")
    page = done.stdout if len(done.stdout) > len(done.stderr) else done.stderr
    return sorted(set(read(page)))


def version(node: str) -> str:
    """The first number with a dot that the installed program prints about itself."""
    program = PAGES[node][0][0]
    done = subprocess.run(
        _VERSIONS.get(program, [program, "--version"]), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    match = re.search(r"\d+\.[\d.]*\d", done.stdout + done.stderr)
    return match[0] if match else ""


def recorded() -> dict[str, dict[str, Any]]:
    """{node: {version, options}} as recorded."""
    record: dict[str, dict[str, Any]] = json.loads(RECORD.read_text())
    return record


if __name__ == "__main__":
    missing = [node for node in PAGES if not installed(node)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    record = {node: {"version": version(node), "options": listed(node)} for node in sorted(PAGES)}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
