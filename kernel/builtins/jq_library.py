"""libjq as the Python package `jq` carries it, reached by ctypes: the calls that a jq program is made of.

The package's extension module holds a whole libjq and exports it. Its Python API is not used: it loses exit
statuses, `input`, `halt_error` and the digits of big numbers, and holds the interpreter's lock while it works.

A `jv` is a struct of 16 bytes that is passed by value; every call consumes the `jv`s it is given (`jv_copy` and
`jv_get_kind` excepted, as in C), so a value that is needed again is copied first.
"""

from __future__ import annotations

import ctypes
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INVALID, NULL, FALSE, TRUE, NUMBER, STRING, ARRAY, OBJECT = range(8)

PRINT_PRETTY, PRINT_ASCII, PRINT_COLOR, PRINT_SORTED, PRINT_TAB = 1, 2, 4, 8, 64
PARSE_SEQ, PARSE_STREAMING, PARSE_STREAM_ERRORS = 1, 2, 4


def print_indent(width: int) -> int:
    """The print flags for `width` blanks of indentation; less than 0 or more than 7: tabs."""
    return width << 8 | PRINT_PRETTY if 0 <= width <= 7 else PRINT_TAB | PRINT_PRETTY


class Unavailable(Exception):
    """There is no usable libjq in this interpreter's packages; the text says what is wrong."""


class Jv(ctypes.Structure):
    """C's `jv`. Two integer words: on every 64-bit ABI that is how a struct holding a union with a pointer is passed."""

    _fields_ = [("head", ctypes.c_uint64), ("payload", ctypes.c_uint64)]


MESSAGE_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, Jv)

_POINTER, _TEXT, _INT, _DOUBLE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double

# name: (result, arguments)
_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "jv_get_kind": (_INT, [Jv]),
    "jv_copy": (Jv, [Jv]),
    "jv_free": (None, [Jv]),
    "jv_null": (Jv, []),
    "jv_string_sized": (Jv, [_TEXT, _INT]),
    "jv_string_value": (_POINTER, [Jv]),
    "jv_string_length_bytes": (_INT, [Jv]),
    "jv_number_value": (_DOUBLE, [Jv]),
    "jv_array": (Jv, []),
    "jv_array_append": (Jv, [Jv, Jv]),
    "jv_object": (Jv, []),
    "jv_object_has": (_INT, [Jv, Jv]),
    "jv_object_set": (Jv, [Jv, Jv, Jv]),
    "jv_invalid_has_msg": (_INT, [Jv]),
    "jv_invalid_get_msg": (Jv, [Jv]),
    "jv_parse_sized": (Jv, [_TEXT, _INT]),
    "jv_load_file": (Jv, [_TEXT, _INT]),
    "jv_dump_string": (Jv, [Jv, _INT]),
    "jv_parser_new": (_POINTER, [_INT]),
    "jq_init": (_POINTER, []),
    "jq_set_attr": (None, [_POINTER, Jv, Jv]),
    "jq_set_colors": (_INT, [_TEXT]),
    "jq_realpath": (Jv, [Jv]),
    "jq_compile_args": (_INT, [_POINTER, _TEXT, Jv]),
    "jq_start": (None, [_POINTER, Jv, _INT]),
    "jq_next": (Jv, [_POINTER]),
    "jq_halted": (_INT, [_POINTER]),
    "jq_get_exit_code": (Jv, [_POINTER]),
    "jq_get_error_message": (Jv, [_POINTER]),
    "jq_set_input_cb": (None, [_POINTER, _POINTER, _POINTER]),
    "jq_set_debug_cb": (None, [_POINTER, MESSAGE_CALLBACK, _POINTER]),
    "jq_set_stderr_cb": (None, [_POINTER, MESSAGE_CALLBACK, _POINTER]),
    "jq_util_input_init": (_POINTER, [_POINTER, _POINTER]),
    "jq_util_input_set_parser": (None, [_POINTER, _POINTER, _INT]),
    "jq_util_input_add_input": (None, [_POINTER, _TEXT]),
    "jq_util_input_errors": (_INT, [_POINTER]),
    "jq_util_input_next_input": (Jv, [_POINTER]),
    "jq_util_input_next_input_cb": (Jv, [_POINTER, _POINTER]),
    "jq_util_input_get_position": (Jv, [_POINTER]),
}


def installed_file() -> str:
    """The package's extension module. Raises Unavailable."""
    from importlib.util import find_spec

    found = find_spec("jq")
    if found is None or not found.origin:
        raise Unavailable("the Python package `jq` is not installed")
    return found.origin


class Library:
    """The functions of libjq as attributes, by their C names, and the few conversions a jq program needs."""

    def __init__(self) -> None:
        """Raises Unavailable when there is no libjq, or one without the calls of jq 1.7."""
        if sys.maxsize < 2**32:
            raise Unavailable("the Python package `jq` can be used by a 64-bit Python only")
        file = installed_file()
        try:
            self._functions = ctypes.CDLL(file)
            for name, (result, arguments) in _PROTOTYPES.items():
                function = getattr(self._functions, name)
                function.restype, function.argtypes = result, arguments
                setattr(self, name, function)
        except (OSError, AttributeError) as error:
            raise Unavailable(f"`{file}` holds no usable libjq ({error})") from None
        self._callbacks: list[Any] = []  # ctypes callbacks live as long as something in Python holds them

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def text(self, data: bytes) -> Jv:
        """A string; what is no UTF-8 becomes U+FFFD."""
        made: Jv = self.jv_string_sized(data, len(data))
        return made

    def parse(self, data: bytes) -> Jv | None:
        """The one JSON value that `data` is, or None."""
        value: Jv = self.jv_parse_sized(data, len(data))
        if self.jv_get_kind(value) == INVALID:
            self.jv_free(value)
            return None
        return value

    def string_bytes(self, value: Jv) -> bytes:
        """The UTF-8 of a string, which is consumed."""
        data = ctypes.string_at(self.jv_string_value(value), self.jv_string_length_bytes(self.jv_copy(value)))
        self.jv_free(value)
        return data

    def dump(self, value: Jv, flags: int) -> bytes:
        """A value, which is consumed, as JSON text."""
        return self.string_bytes(self.jv_dump_string(value, flags))

    def display(self, value: Jv) -> bytes:
        """A string as it is, any other value as JSON; consumed."""
        return self.string_bytes(value) if self.jv_get_kind(value) == STRING else self.dump(value, 0)

    def callback(self, function: Callable[[Any, Jv], None]) -> Any:
        """A Python function as a message callback: `function(data, value)`, which consumes the value."""
        made = MESSAGE_CALLBACK(function)
        self._callbacks.append(made)
        return made

    def input_callback(self) -> int | None:
        """The address of libjq's own reader of inputs, for `jq_set_input_cb`."""
        return ctypes.cast(self.jq_util_input_next_input_cb, _POINTER).value  # type: ignore[arg-type]
