"""The installed launcher: found from anywhere, isolated, and quick because `site` runs only when it is needed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from installed import ROOT, Environment

from kernel import __version__


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The package in an environment whose path holds a blank and a quote."""
    return Environment(tmp_path_factory.mktemp("launcher") / "it's a venv").install()


def run(argv: list[str], cwd: Path | str = "/", **env: str) -> subprocess.CompletedProcess[str]:
    base = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "LC_ALL": "C.UTF-8"}
    return subprocess.run(argv, cwd=cwd, env={**base, **env}, capture_output=True, text=True, check=False)


def version(done: subprocess.CompletedProcess[str]) -> bool:
    assert done.returncode == 0, done.stderr
    return done.stderr == "" and __version__ in done.stdout


def test_it_is_installed_as_a_script() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    scripts = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-scripts"]
    assert scripts == {"kernel/_bin/kernel": "kernel", "kernel/_bin/kaish": "kaish"}
    assert all(os.access(ROOT / file, os.X_OK) for file in scripts)


def test_from_any_place(installed: Environment, tmp_path: Path) -> None:
    directory = installed.root / "bin"
    (tmp_path / "chain").symlink_to("link")  # relative, to a link that is absolute
    (tmp_path / "link").symlink_to(installed.launcher)
    assert version(run([installed.launcher, "--version"]))
    assert version(run([str(tmp_path / "chain"), "--version"]))
    assert version(run(["bin/kernel", "--version"], cwd=installed.root))
    assert version(run(["./kernel", "--version"], cwd=directory))
    assert version(run(["sh", "kernel", "--version"], cwd=directory))
    assert version(run(["sh", "-c", "kernel --version"], PATH=f"{directory}:/usr/bin:/bin"))
    assert version(run([installed.python, installed.launcher, "--version"]))


def test_words_reach_the_tool_untouched(installed: Environment, tmp_path: Path) -> None:
    words = ["", " a  b ", "*", "$HOME", "it's", 'q"', "new\nline", "\\", "-"]
    done = run([installed.launcher, "call", "printf", "%s|", *words], cwd=tmp_path, HOME=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "".join([word + "|" for word in words]), "")


def test_it_is_isolated(installed: Environment, tmp_path: Path) -> None:
    for name in ("kernel.py", "os.py", "yaml.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the working directory')\n")
    assert version(run([installed.launcher, "--version"], cwd=tmp_path, PYTHONPATH=str(tmp_path), PYTHONHOME="/nowhere"))


def test_an_editable_install(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv").install_editable()
    assert version(run([environment.launcher, "--version"]))
    (environment.packages / "kernel/tools.d").mkdir(parents=True)  # what an uninstalled wheel may leave behind
    assert version(run([environment.launcher, "--version"]))


def test_what_only_site_finds_is_found(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv").install()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for link in [entry for entry in environment.packages.iterdir() if entry.is_symlink()]:
        link.rename(elsewhere / link.name)
    (environment.packages / "elsewhere.pth").write_text(f"{elsewhere}\n")
    (tmp_path / "work/tools.d").mkdir(parents=True)
    (tmp_path / "work/tools.d/hello.yaml").write_text("exec: [/bin/echo, hello]\n")
    done = run([environment.launcher, "call", "--tools", "tools.d", "hello"], cwd=tmp_path / "work", HOME=str(tmp_path))
    assert (done.stdout, done.stderr) == ("hello\n", "")


def test_without_an_interpreter_beside_it(tmp_path: Path) -> None:
    directory = tmp_path / "bin"
    directory.mkdir()
    launcher = directory / "kernel"
    launcher.write_bytes((ROOT / "kernel/_bin/kernel").read_bytes())
    launcher.chmod(0o755)
    other = tmp_path / "other"
    other.mkdir()
    (other / "python3").write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    (other / "python3").chmod(0o755)
    done = run([str(launcher), "call", "a b"], PATH=f"{other}:/usr/bin:/bin")
    assert done.stdout == f"-E|-P|{launcher}|call|a b|"


@pytest.mark.parametrize("name", ["kernel", "kaish"])
def test_a_python_without_the_package_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes((ROOT / "kernel/_bin" / name).read_bytes())
    (tmp_path / name).chmod(0o755)
    bare = tmp_path / "path" / "python3"
    bare.parent.mkdir()
    bare.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S "$@"\n')
    bare.chmod(0o755)
    done = run([str(tmp_path / name)], tmp_path, PATH=f"{bare.parent}:/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.startswith("error[E-INTERNAL]: `")
    assert f"which runs `{tmp_path / name}`, has no package `kernel`" in done.stderr
