"""The JSON Schema of manifests, for editors (`kernel schema --manifest`): every key with what it means.

It says what an editor can use while one types; the rules between keys are `kernel check`'s.
"""

from __future__ import annotations

from kernel.builtins import NAMES as BUILTINS
from kernel.input_schema import DIALECT
from kernel.schema import GROUPS
from kernel.schema_inputs import FIELD_KEYS
from kernel.schema_keys import EXITS, SHARED_KEYS, SYSTEMS, WORDS
from kernel.schema_params import EFFECTS, EMITS
from kernel.schema_slots import COMPLETES, PATHS, TYPE_NAMES, TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Schema = dict[str, Any]

TOOL_NAME = "^[a-z][a-z0-9_-]{0,39}$"
PARAM_NAME = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
VARIABLE = "^[A-Za-z_][A-Za-z0-9_]*$"
DURATION = "^[0-9]{1,9}(ms|s|m|h)$"
SIZE = "^[0-9]{1,12}(B|KiB|MiB|GiB)$"
_EXTENSIONS: Schema = {"^x-": {}}


def schema() -> Schema:
    """The schema of a manifest, JSON Schema 2020-12."""
    return {
        "$schema": DIALECT,
        "title": "toolkernel manifest",
        "description": "A tool: one YAML file in tools.d/, called by the file's name.",
        **_object(_tool_keys() | _root_keys()),
        "anyOf": [{"required": ["exec"]}, {"required": ["builtin"]}, {"required": ["subcommands"]}],
        "$defs": {
            "subcommand": _object(_tool_keys() | _subcommand_keys(), ["name"]),
            "param": _object(_param_keys(), ["name"]),
            "slot": _object(
                _slot_keys() | {"name": _name("What the word is."), "optional": _flag("May be left out (with `split`).")}, ["name"]
            ),
            "field": _object({key: value for key, value in _param_keys().items() if key in FIELD_KEYS}),
            "example": _object(_example_keys(), ["run"]),
        },
    }


# Shapes


def _object(properties: dict[str, Schema], required: Sequence[str] = ()) -> Schema:
    shape: Schema = {"type": "object", "properties": properties, "patternProperties": _EXTENSIONS, "additionalProperties": False}
    return shape | ({"required": list(required)} if required else {})


def _text(description: str, **more: Any) -> Schema:
    return {"type": ["string", "number", "boolean"] if not more else "string", "description": description, **more}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "default": False, "description": description}


def _one_of(words: Sequence[str], description: str, default: bool = False) -> Schema:
    return {"enum": list(words), "description": description} | ({"default": words[0]} if default else {})


def _texts(description: str) -> Schema:
    return {"type": "array", "items": _scalar(), "description": description}


def _scalar() -> Schema:
    return {"type": ["string", "number", "boolean"]}


def _integer(description: str, least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least, "description": description}


def _list(reference: str, description: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/$defs/{reference}"}, "description": description}


def _name(description: str) -> Schema:
    return _text(description, pattern=PARAM_NAME)


# Keys


def _root_keys() -> dict[str, Schema]:
    return {
        "requires": _text("The kernel it needs: `>=0.3`.", pattern="^>= *[0-9]+(\\.[0-9]+)*$"),
        "replaces": _text("Its own name, where it hides a shipped tool.", pattern=TOOL_NAME),
    }


def _subcommand_keys() -> dict[str, Schema]:
    return {
        "aliases": {
            "type": "array",
            "items": {"type": "string", "pattern": TOOL_NAME},
            "description": "Other names of the subcommand.",
        }
    }


def _tool_keys() -> dict[str, Schema]:
    word_keys = {
        "order": "How `{*}` writes flags: as declared, as typed, or with operands in their place too.",
        "output": "What the program writes on stdout.",
        "effect": "What a call does: changes nothing, changes something, or loses something. Left out, it counts as write.",
        "flags": "Where flags may stand.",
        "unknown_flags": "`pass` sends undeclared flags on as operands.",
    }
    template = "A template: `{name}` is a param's value, `{{` and `}}` are braces."
    keys: dict[str, Schema] = {
        "name": _text("The tool's name: the file's, so it may be left out.", pattern=TOOL_NAME),
        "title": _text("A short name for people."),
        "description": _text("What the tool does."),
        "needs": {
            **_object(
                {
                    "programs": {
                        "type": "array",
                        "items": {
                            "anyOf": [
                                {"type": "string"},
                                {
                                    "type": "object",
                                    "maxProperties": 1,
                                    "additionalProperties": {"type": "string", "pattern": "^>="},
                                },
                            ]
                        },
                        "description": 'Programs, by name or `NAME: ">=1.7"`.',
                    },
                    "env": {
                        "type": "array",
                        "items": {"type": "string", "pattern": VARIABLE},
                        "description": "Environment variables.",
                    },
                    "os": {"type": "array", "items": {"enum": list(SYSTEMS)}, "description": "Systems it works on."},
                }
            ),
            "description": "What must be there; without it the tool is listed as unavailable.",
        },
        "params": _list("param", "The tool's flags and operands."),
        "input_schema": {
            "type": ["object", "string"],
            "description": "A closed flat JSON Schema in the place of `params`, or the path of one.",
        },
        "fields": {
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/field"},
            "description": "What the input schema cannot say of a property.",
        },
        "exec": {
            "type": "array",
            "minItems": 1,
            "prefixItems": [{"type": "string", "description": "The program; never a template."}],
            "items": {"anyOf": [_scalar(), {"type": "array", "minItems": 1, "items": _scalar()}]},
            "description": "The argv: no shell reads it. `{name}` and `{name*}` write values alone, `{*}` the flags too, each by "
            "its first alias, else by its name; a nested list appears when its params do.",
        },
        "builtin": _one_of(sorted(BUILTINS), "A builtin; with `exec`, taken when what `needs` names is missing."),
        "subcommands": {**_list("subcommand", "Tools below this one."), "minItems": 1},
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {kind: _texts("Params.") for kind in GROUPS},
                "additionalProperties": False,
            },
            "description": "Params of which at most one, at least one, or all or none are given.",
        },
        "env": {
            "type": "object",
            "propertyNames": {"pattern": VARIABLE},
            "additionalProperties": _scalar(),
            "description": f"Variables of the child. {template} `pass`: the caller's.",
        },
        "cwd": _text(
            "Where it runs, and where relative paths, those of the caller too, start: `caller`, `tools` (the directory that holds "
            "tools.d/), a path below that, or `{P}` of a `path: dir` param."
        ),
        "stdin": _text(f"`caller`, `none`, `values` (all values as one JSON object), or a template. {template}"),
        "timeout": _text("Digits and ms, s, m or h.", pattern=DURATION),
        "limits": {
            **_object(
                {
                    "output": _text("Of each stream, when captured.", pattern=SIZE),
                    "spill": _flag("Keep the whole output in a file."),
                    "concurrency": _integer("Calls at one time, when served.", 1),
                    "rate": _text("Calls in a window: `60/60s`.", pattern="^[0-9]{1,9}/[0-9]{1,9}(ms|s|m|h)$"),
                    "cpu": _text("Processor time.", pattern=DURATION),
                    "memory": _text("Data segment.", pattern=SIZE),
                }
            ),
            "description": "What a call may use.",
        },
        "exits": {
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]{1,3}$"},
            "additionalProperties": {"enum": list(EXITS)},
            "description": "What exit codes mean; 0 is ok, every other is an error.",
        },
        "confirm": _text("A question to ask before running."),
        "roots": _texts("Directories that path values must lie in."),
        "deny": _texts("Places that path values must not lie in."),
        "sandbox": {
            **_object({"network": {"const": "none"}, "read": _texts("Readable paths."), "write": _texts("Writable paths.")}),
            "description": "What the program may reach.",
        },
        "end_of_options": _text("What ends the program's options: `--`, `none`, or its own marker."),
        "map_positionals": _flag("Leftover operands fill flag params in order."),
        "number_flag": _name("The param that `-NUM` sets."),
        "task": _flag("Served as a job: a call returns a handle at once, which `job_status`, `job_output` and `job_cancel` take."),
        "hidden": _flag("Works, but is left out of lists."),
        "tags": _texts("Words to list tools by."),
        "deprecated": _text("Why, and what to use instead; printed on each call."),
        "examples": _list("example", "Calls that `kernel check` tries."),
    }
    for key, words in WORDS.items():
        keys[key] = _one_of(words, word_keys[key], default=key != "effect")
    return {key: keys[key] for key in SHARED_KEYS}


def _slot_keys() -> dict[str, Schema]:
    """What a slot and a param of one word share."""
    choice = {
        "type": "object",
        "properties": {"value": _scalar(), "description": _text("What it means.")},
        "required": ["value"],
        "patternProperties": _EXTENSIONS,
        "additionalProperties": False,
    }
    return {
        "type": {**_one_of([*TYPES, *TYPE_NAMES], "The type of a value."), "default": "string"},
        "description": _text("What it is for."),
        "choices": {
            "type": "array",
            "minItems": 1,
            "items": {"anyOf": [_scalar(), choice]},
            "description": "The values it may have.",
        },
        "min": {"type": ["number", "string"], "description": "The least number."},
        "max": {"type": ["number", "string"], "description": "The greatest number."},
        "pattern": _text("A regular expression for the whole value, in what Python and ECMA-262 share."),
        "path": _one_of(PATHS, "A path, and what is done with it."),
        "complete": {
            "anyOf": [{"enum": list(COMPLETES)}, {"type": "array", "items": _scalar()}],
            "description": "What completion offers. Never a command.",
        },
        "allow_dash": _flag("A value that looks like an option may reach the program."),
    }


def _param_keys() -> dict[str, Schema]:
    effect = {"enum": list(EFFECTS)}
    any_value: Schema = {"type": ["string", "number", "boolean", "array", "object"]}
    return {
        "name": _name("What it is called; `dry_run` is spelled `--dry-run`."),
        "aliases": _texts("Other spellings: `-n`, `--word`, `-word`, or a bare word. `{*}` writes the first one."),
        **_slot_keys(),
        "required": _flag("There must be a value."),
        "default": {**any_value, "description": "The value where none is given, in the value's shape."},
        "consumes": {
            "anyOf": [{"type": "integer", "minimum": 1}, {**_list("slot", "The words, named and typed."), "minItems": 1}],
            "default": 1,
            "description": "How many words each occurrence takes, or its slots.",
        },
        "positional": _flag("An operand, not a flag."),
        "repeatable": {
            "type": "boolean",
            "description": "A list with one entry per occurrence; an N-tuple is repeatable unless it says false.",
        },
        "negatable": _flag("A bool or count also has `--no-NAME`."),
        "count": _flag("Each occurrence adds one."),
        "optional_value": {**_scalar(), "description": "What the bare flag means; a value is taken only attached."},
        "values": _one_of(["verbatim"], "A value may be a word that spells a flag."),
        "unique_by": _name("The slot that is a key."),
        "on_duplicate": _one_of(["error", "first", "last"], "What decides a repeated key.", default=True),
        "min_items": _integer("The fewest entries."),
        "max_items": _integer("The most entries."),
        "items": _one_of([*TYPES, *TYPE_NAMES], "The type of an array's elements."),
        "env": _text("A variable that gives the value where none is given.", pattern=VARIABLE),
        "secret": {"enum": [True, False, "argv"], "description": "Never shown; `argv` lets it stand in the child's argv."},
        "effect": {
            "anyOf": [{"enum": list(EFFECTS[1:])}, {"type": "object", "additionalProperties": effect}],
            "description": "The effect it raises a call to.",
        },
        "emit": _one_of(EMITS, "How `{*}` writes the value: `--name v`, `--name=v`, `-nv`.", default=True),
        "split": _text("Cuts one word into the slots."),
        "delimiter": _text("Cuts one word into entries."),
        "after": {"const": "--", "description": "Takes the operands behind the first `--`."},
        "as": {
            "type": "object",
            "additionalProperties": {"anyOf": [_scalar(), {"type": "array", "items": _scalar()}]},
            "description": "What the child gets in the place of a value.",
        },
        "program": _flag("The value is program text; the tool is then destructive."),
        "unused": _flag("No template names it."),
        "hidden": _flag("Works for people who know it: help shows it only as an operand, and agents and models are refused it."),
        "deprecated": _text("Why, and what to use instead; printed on each call."),
    }


def _example_keys() -> dict[str, Schema]:
    return {
        "run": {"type": ["string", "array"], "items": _scalar(), "description": "The line as typed, or its words."},
        "says": _text("What it shows."),
        "binds": {"type": "object", "description": "The values it binds, by param."},
        "argv": _texts("The child's argv."),
        "stdout": {"type": "string", "description": "What it prints."},
        "exit": _integer("Its exit status."),
    }
