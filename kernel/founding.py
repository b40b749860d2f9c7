"""The founding types: a tool and its params described in code, under the rules of the manifest (seeds, manifest.md).

What is said here is laid out as a manifest's tree and compiled by ``schema``, so there is one set of rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from kernel import schema, spellings
from kernel.errors import KernelError, fail
from kernel.schema_keys import TOOL_KEYS
from kernel.schema_params import PARAM_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kernel.spec import ToolSpec

_OWN_PARAM_KEYS = ("name", "type", "required", "default", "description", "aliases", "consumes")
_OWN_TOOL_KEYS = ("name", "description", "params", "exec", "builtin")


class _Data:
    """Plain data in the shape of a marked tree: the nodes ``schema`` reads, without places."""

    __slots__ = ("items", "kind", "sort", "text")
    line = column = 0
    width = 1
    plain = False

    def __init__(self, value: Any) -> None:
        self.items: list[Any] = []
        self.kind = "scalar"
        self.sort = "text"
        self.text = ""
        if isinstance(value, dict):
            self.kind = "map"
            self.sort = ""
            self.items = [(_Data(str(key)), _Data(content)) for key, content in value.items()]
        elif isinstance(value, (list, tuple)):
            self.kind = "list"
            self.sort = ""
            self.items = [_Data(entry) for entry in value]
        elif isinstance(value, str):
            self.text = value
        elif value is None:
            self.sort, self.text = "null", "null"
        elif isinstance(value, bool):
            self.sort, self.text = "bool", "true" if value else "false"
        elif isinstance(value, (int, float)):
            self.sort, self.text = "float" if isinstance(value, float) else "int", repr(value)
        else:
            raise fail(
                "E-MANIFEST",
                f"`{type(value).__name__}` is no value of a manifest",
                None,
                "use text, numbers, bools, lists and dicts",
            )

    @property
    def value(self) -> str | int | float | bool | None:
        if self.sort == "int":
            return int(self.text)
        if self.sort == "float":
            return float(self.text)
        return self.text if self.sort == "text" else self.text == "true" if self.sort == "bool" else None

    @property
    def own_text(self) -> bool:
        return self.kind == "scalar" and self.sort != "null"


class _Required:
    """`ParamSchema.required(…)` on the class makes a required param; `param.required` on one says whether it is."""

    @overload
    def __get__(self, param: None, owner: type[ParamSchema]) -> Callable[..., ParamSchema]: ...
    @overload
    def __get__(self, param: ParamSchema, owner: type[ParamSchema]) -> bool: ...
    def __get__(self, param: ParamSchema | None, owner: type[ParamSchema]) -> Callable[..., ParamSchema] | bool:
        if param is not None:
            return param._required

        def required(name: str, param_type: str = "string", description: str = "", **keys: Any) -> ParamSchema:
            """A required param."""
            return owner(name, param_type, True, description=description, **keys)

        return required


class ParamSchema:
    """One param of a tool.

    ``param_type`` is string, int, number, bool, array, object, json or any. ``consumes`` is how many words a flag
    takes for each occurrence, or a list of slots. ``keys`` are the other keys of a manifest's params (``choices``,
    ``positional``, ``repeatable`` …); a trailing underscore is dropped, so `as_` is `as`. Values never change:
    builders return a new param. Rules that need the whole param are checked when the tool is compiled.
    Raises KernelError (E-MANIFEST) for `consumes` below 1 and keys that no param has.
    """

    __slots__ = ("_required", "aliases", "consumes", "default", "description", "keys", "name", "param_type")
    required = _Required()

    def __init__(
        self,
        name: str,
        param_type: str = "string",
        required: bool = False,
        default: Any = None,
        description: str = "",
        aliases: Iterable[str] = (),
        consumes: int | Sequence[Mapping[str, Any]] = 1,
        **keys: Any,
    ) -> None:
        self.name = name
        self.param_type = param_type
        self._required = required
        self.default = default
        self.description = description
        self.aliases = tuple(aliases)
        self.consumes = _checked_consumes(name, consumes)
        self.keys = _checked_keys(keys, PARAM_KEYS, _OWN_PARAM_KEYS, f"the param `{name}`")

    @classmethod
    def optional(
        cls, name: str, param_type: str = "string", default: Any = None, description: str = "", **keys: Any
    ) -> ParamSchema:
        """An optional param with a default value (None: no default)."""
        return cls(name, param_type, False, default, description, **keys)

    def with_aliases(self, *aliases: str) -> ParamSchema:
        """The param with further spellings: `-r`, `--recursive`, or words without dashes (N1)."""
        return self._with(aliases=[*self.aliases, *aliases])

    def with_consumes(self, consumes: int | Sequence[Mapping[str, Any]]) -> ParamSchema:
        """The param taking so many words for each occurrence, or these slots. 0 is an error: such a flag is a bool."""
        return self._with(consumes=consumes)

    def matches_flag(self, flag: str) -> bool:
        """Whether a flag, with or without dashes, spells the param or one of its aliases (N1). Case matters."""
        declared = [spellings.of_alias(alias) for alias in self.aliases]
        bare = self.keys.get("positional") and not declared
        spelled = declared if bare else declared + spellings.of_name(self.name)
        if flag.startswith("-"):
            return flag in spelled
        return bool(flag) and (spellings.of_alias(flag) in spelled or f"-{flag}" in spelled)

    def to_dict(self) -> dict[str, Any]:
        """The keys of a manifest's param that say the same, ready for JSON; what is as by default is left out."""
        said: dict[str, Any] = {"name": self.name}
        if self.param_type != "string":
            said["type"] = self.param_type
        if self._required:
            said["required"] = True
        if self.default is not None:
            said["default"] = self.default
        if self.description:
            said["description"] = self.description
        if self.aliases:
            said["aliases"] = list(self.aliases)
        if self.consumes != 1:
            said["consumes"] = self.consumes
        return said | self.keys

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> ParamSchema:
        """The param that the keys of a manifest's param describe. Raises KernelError (E-MANIFEST)."""
        own = {key: said[key] for key in _OWN_PARAM_KEYS if key in said and key != "type"}
        if "name" not in own:
            raise fail("E-MANIFEST", "a param has no `name`", None, "give it one")
        keys = {key: value for key, value in said.items() if key not in _OWN_PARAM_KEYS}
        return cls(param_type=said.get("type", "string"), **own, **keys)

    def _with(self, **changed: Any) -> ParamSchema:
        return self.from_dict(
            self.to_dict() | {key: list(value) if isinstance(value, tuple) else value for key, value in changed.items()}
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParamSchema) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ParamSchema({', '.join([f'{key}={value!r}' for key, value in self.to_dict().items()])})"


class ToolSchema:
    """A tool described in code: a name, params, and an argv template, a builtin, or (with ``Kernel.add``) a callable.

    ``keys`` are the other keys of a manifest (``groups``, ``env``, ``effect``, ``subcommands`` …). The rules of the
    manifest hold; ``compile`` checks them.
    """

    __slots__ = ("builtin", "description", "exec", "keys", "name", "params")

    def __init__(
        self,
        name: str,
        description: str = "",
        params: Iterable[ParamSchema] = (),
        *,
        exec: Sequence[str | Sequence[str]] | None = None,
        builtin: str | None = None,
        **keys: Any,
    ) -> None:
        self.name = name
        self.description = description
        self.params = tuple(params)
        for param in self.params:
            if not isinstance(param, ParamSchema):
                raise fail("E-TYPE", f"a param of the tool `{name}` is a `ParamSchema`, got `{param!r}`")
        self.exec = None if exec is None else [item if isinstance(item, str) else list(item) for item in exec]
        self.builtin = builtin
        self.keys = _checked_keys(keys, TOOL_KEYS, _OWN_TOOL_KEYS, f"the tool `{name}`")

    def compile(self, *, callable: bool = False) -> ToolSpec:
        """The spec of the tool. ``callable`` says that a function runs it, so it needs neither `exec` nor `builtin`.

        Raises KernelError with all problems, as a manifest would; they have no place.
        """
        said = self.to_dict()
        try:
            return schema.compile_tool(_Data(said), file="", base="", name=self.name, in_code=callable)  # type: ignore[arg-type]
        except KernelError as error:
            for problem in error.problems:
                problem.facts.setdefault("tool", self.name)
            raise

    def to_dict(self) -> dict[str, Any]:
        """The keys of a manifest that says the same, ready for JSON."""
        said: dict[str, Any] = {"name": self.name}
        if self.description:
            said["description"] = self.description
        if self.params:
            said["params"] = [param.to_dict() for param in self.params]
        if self.exec is not None:
            said["exec"] = self.exec
        if self.builtin is not None:
            said["builtin"] = self.builtin
        return said | self.keys

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> ToolSchema:
        """The tool that the keys of a manifest describe, its `name` among them. Raises KernelError (E-MANIFEST)."""
        if "name" not in said:
            raise fail("E-MANIFEST", "a tool made in code has no `name`", None, "give it one")
        params = [ParamSchema.from_dict(param) for param in said.get("params", ())]
        rest = {key: value for key, value in said.items() if key != "params"}
        return cls(params=params, **rest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolSchema) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ToolSchema({', '.join([f'{key}={value!r}' for key, value in self.to_dict().items()])})"


def _checked_consumes(name: str, consumes: int | Sequence[Mapping[str, Any]]) -> int | list[dict[str, Any]]:
    if isinstance(consumes, int):
        if consumes < 1:
            raise fail(
                "E-MANIFEST",
                f"`consumes` of `{name}` is {consumes}",
                None,
                "a flag that takes no word is a bool: use the type bool",
                param=name,
            )
        return consumes
    return [dict(slot) for slot in consumes]


def _checked_keys(keys: dict[str, Any], known: Sequence[str], own: Sequence[str], what: str) -> dict[str, Any]:
    found = {}
    for key, value in keys.items():
        name = key.rstrip("_")
        if name not in known or name in own:
            from kernel.template import nearest

            close = nearest(name, known)
            hint = f"did you mean `{close[0]}`?" if close else "its keys are those of a manifest"
            raise fail("E-MANIFEST", f"{what} has no key `{key}`", None, hint, near=close)
        found[name] = value
    return found
