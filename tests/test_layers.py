"""The order of the modules: each has a layer, and imports only from smaller ones, so that no cycle can exist."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 450  # of a module; past 400 it is time to look for a second concern in it

# From the bottom up; a row is a layer. A stage whose work is spread over several modules has several rows. A package's
# name stands for its `__init__`; `kernel` itself imports nothing. The modules of a `package.*` share a row: there an
# import of another one must not lead back.
LAYERS = [
    # data, and what knows nothing of tools
    "kernel near system",
    "errors environment spec bound plan strict_json scalars yaml_syntax yaml_pure spellings template interpreters "
    "builtins pattern_sets",
    "result masking limits values faults words pattern locate manifest input_schema paths builtins.guard",
    "pattern_ambiguity pattern_match places",
    # manifests to specs
    "schema_reader schema_level lint occurrences",
    "schema_values schema_builtin operands",
    "schema_slots",
    "schema_params",
    "schema_inputs schema_keys",
    "schema_templates",
    "schema",
    "store founding",
    # calls to plans
    "bind bind_json",
    "check",
    "line misuse",
    "explain",
    "effect encoding",
    "template_groups rest_order",
    "render",
    # plans to results
    "mark feed spill interrupts confirm",
    "descent",
    "launch stream guard terminal",
    "process",
    "sandbox",
    "needs",
    "policy",
    "builtins.*",
    "inside",
    "builtins.remote",
    "child",
    "collect supervise",
    "audit",
    "dispatch",
    # faces
    "api pipeline",
    "export export.rules export.given export.manifest_schema",
    "export.json_schema",
    "export.words",
    "export.openai export.anthropic export.gemini",
    "export.dialects",
    "export.profiles",
    "export.completion export.completion_bash export.completion_zsh export.completion_fish",
    "present present.section present.printable present.answer",
    "present.plain present.problem present.json present.rich_view present.grid",
    "present.view present.fault",
    "builtin_process",
    "present.manual",
    "verdict",
    "conform_contract conform_jq",
    "conform",
    "shell.* serve.*",
    "commands",
    "commands.verb commands.about",
    "commands.resolve commands.catalogue commands.examples commands.init",
    "commands.model_call",
    "commands.audit commands.call commands.check commands.completion commands.conform commands.help commands.list "
    "commands.schema commands.show",
    "commands.explain commands.replay",
    "commands.mcp",
    "cli",
    "__main__",
]
NUMBERS = {name if name == "kernel" else f"kernel.{name}": at for at, row in enumerate(LAYERS) for name in row.split()}
SHARED = {name.removesuffix("*"): NUMBERS.pop(name) for name in list(NUMBERS) if name.endswith(".*")}


def shared(name: str) -> str:
    """The package whose modules a module shares its row with, "" for one that has its own place."""
    package = f"{name}." if f"{name}." in SHARED else name[: name.rfind(".") + 1]
    return package if package in SHARED and name not in NUMBERS else ""


def layer(name: str) -> int:
    package = shared(name)
    return SHARED[package] if package else NUMBERS[name]


def _modules() -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / "kernel").rglob("*.py")):
        found[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


MODULES = _modules()


def imports_of(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(module of the package, line) of each import at run time, in functions too; not those under TYPE_CHECKING."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imports_of(other)
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "kernel":
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import in line {node.lineno}"
            if node.module is not None and node.module.split(".")[0] == "kernel":
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    yield (full if full in MODULES else node.module), node.lineno
        yield from imports_of(node)


def test_every_module_has_one_layer() -> None:
    assert sorted(name for name in MODULES if not shared(name)) == sorted(NUMBERS)
    assert len(NUMBERS) + len(SHARED) == sum(len(row.split()) for row in LAYERS)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_from_smaller_layers_only(name: str) -> None:
    for other, line in imports_of(ast.parse(MODULES[name].read_text())):
        together = shared(name) != "" and shared(name) == shared(other)
        assert together or layer(other) < layer(name), f"{name} imports {other} in line {line}"


@pytest.mark.parametrize("package", sorted(SHARED))
def test_modules_that_share_a_row_do_not_import_each_other_in_a_circle(package: str) -> None:
    group = [name for name in MODULES if shared(name) == package]
    wanted = {name: {other for other, _ in imports_of(ast.parse(MODULES[name].read_text())) if other in group} for name in group}
    TopologicalSorter(wanted).prepare()  # raises CycleError


def test_only_the_named_modules_import_yaml_rich_and_mcp() -> None:
    users: dict[str, set[str]] = {"yaml": set(), "rich": set(), "mcp": set()}
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for imported in names:
                if imported.split(".")[0] in users:
                    users[imported.split(".")[0]].add(name)
    assert users["mcp"] <= {"kernel.serve.adapter", "kernel.serve.stdio", "kernel.serve.http"}
    assert users["yaml"] <= {"kernel.manifest", "kernel.yaml_pure", "kernel.yaml_syntax", "kernel.builtins.yaml_data"}
    assert all(name.startswith("kernel.present.") for name in users["rich"])


def test_only_environment_touches_the_process_streams_and_variables() -> None:
    for name, path in MODULES.items():
        if name == "kernel.environment":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                touched = f"{node.value.id}.{node.attr}"
                assert touched not in ("sys.stdout", "sys.stderr", "sys.stdin", "os.environ", "os.environb"), f"{name}: {touched}"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_is_short(name: str) -> None:
    lines = len(MODULES[name].read_text().splitlines())
    assert lines <= MOST_LINES, f"{name} has {lines} lines: split it by concern"
