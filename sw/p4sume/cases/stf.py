# SPDX-License-Identifier: Apache-2.0
"""The STF language: one statement a line. README.md in this folder is its definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TOKEN = re.compile(r'"[^"]*"|[A-Za-z0-9_.$*\[\]\-&/]+|==|[:(),=+]')
_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*|\d+\.\d+\.\d+\.\d+|([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"
)
_REFUSALS = ("full", "exists", "missing", "constant", "key", "action", "arguments")


class StfError(Exception):
    """The file is not STF as README.md has it; the message begins with file and line."""


@dataclass(frozen=True)
class Statement:
    line: int


@dataclass(frozen=True)
class Match:
    """One field of a key as written: `mask` and `high` and `prefix` are None where not given."""

    name: str
    value: int
    mask: int | None = None
    high: int | None = None
    prefix: int | None = None


@dataclass(frozen=True)
class ActionUse:
    """Arguments by name, or by place with the name ""."""

    name: str
    arguments: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class TableChange(Statement):
    """`operation`: add, modify, delete, clear. `refused`: why it has to be refused, or ""."""

    operation: str
    table: str
    priority: int | None
    key: tuple[Match, ...]
    action: ActionUse | None
    refused: str = ""


@dataclass(frozen=True)
class SetDefault(Statement):
    table: str
    action: ActionUse
    refused: str = ""


@dataclass(frozen=True)
class RemoveAll(Statement):
    pass


@dataclass(frozen=True)
class SendPacket(Statement):
    port: str
    data: bytes


@dataclass(frozen=True)
class SetMetadata(Statement):
    """For the next packet."""

    fields: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ExpectPacket(Statement):
    """`pattern`: hex digits and `*`; None for any packet. `exact`: nothing may follow it."""

    port: str
    pattern: str | None
    exact: bool


@dataclass(frozen=True)
class ExpectFields(Statement):
    """Metadata or digest of the packet that the last expect or expect_drop is about."""

    what: str
    fields: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ExpectDrop(Statement):
    reason: str


@dataclass(frozen=True)
class ExpectDigestOnly(Statement):
    """A packet that goes nowhere, while its digest goes to the CPU."""


@dataclass(frozen=True)
class NoPacket(Statement):
    pass


@dataclass(frozen=True)
class SetTime(Statement):
    cycles: int
    relative: bool


@dataclass(frozen=True)
class Wait(Statement):
    pass


@dataclass(frozen=True)
class WriteRegister(Statement):
    name: str
    index: int
    value: int


@dataclass(frozen=True)
class Configure(Statement):
    """A setting of an extern's engine."""

    name: str
    setting: str
    index: int
    value: int


@dataclass(frozen=True)
class Check(Statement):
    """`what`: register, counter or table (its number of entries)."""

    what: str
    name: str
    index: int
    value: int


def parse_file(path: Path) -> list[Statement]:
    return parse(path.read_text(encoding="utf-8"), str(path))


def parse(text: str, name: str = "<stf>") -> list[Statement]:
    statements: list[Statement] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#", 1)[0].strip()
        if not content:
            continue
        try:
            statements.append(_Line(number, content).statement())
        except ValueError as problem:
            raise StfError(f"{name}:{number}:1: error: {problem}") from problem
    return statements


class _Line:
    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.word, _, self.rest = text.partition(" ")
        self.rest = self.rest.strip()
        self.tokens: list[str] = []
        self.at = 0

    def statement(self) -> Statement:
        known: dict[str, Callable[[], Statement]] = {
            "add": lambda: self._change("add"),
            "modify": lambda: self._change("modify"),
            "delete": lambda: self._change("delete"),
            "clear": lambda: TableChange(self.number, "clear", self._only_word(), None, (), None),
            "remove": self._remove,
            "setdefault": self._set_default,
            "refused": self._refused,
            "packet": self._packet,
            "metadata": lambda: SetMetadata(self.number, self._fields()),
            "expect": self._expect,
            "expect_metadata": lambda: ExpectFields(self.number, "metadata", self._fields()),
            "expect_digest": lambda: ExpectFields(self.number, "digest", self._fields()),
            "expect_drop": lambda: ExpectDrop(self.number, self._only_word()),
            "expect_digest_only": lambda: ExpectDigestOnly(self.number),
            "no_packet": lambda: NoPacket(self.number),
            "time": self._time,
            "wait": lambda: Wait(self.number),
            "register_write": self._register_write,
            "setting": self._setting,
            "check_register": lambda: self._check("register"),
            "check_counter": lambda: self._check("counter"),
            "check_table": lambda: self._check("table"),
        }
        found = known.get(self.word.lower())
        if found is None:
            raise ValueError(f"'{self.word}' is not a statement that this runner knows")
        self._split()
        return found()

    # ---- tokens

    def _split(self) -> None:
        if self.word.lower() in ("packet", "expect"):
            return
        position = 0
        while position < len(self.rest):
            if self.rest[position].isspace():
                position += 1
                continue
            match = _TOKEN.match(self.rest, position)
            if match is None:
                raise ValueError(f"'{self.rest[position]}' has no meaning here")
            self.tokens.append(match[0].strip('"'))
            position = match.end()

    def _peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def _next(self, what: str) -> str:
        if self.at >= len(self.tokens):
            raise ValueError(f"{what} is missing")
        self.at += 1
        return self.tokens[self.at - 1]

    def _want(self, token: str) -> None:
        found = self._next(f"'{token}'")
        if found != token:
            raise ValueError(f"'{token}' is wanted before '{found}'")

    def _end(self) -> None:
        if self.at < len(self.tokens):
            raise ValueError(f"'{self._peek()}' is too much on this line")

    def _only_word(self) -> str:
        found = self._next("a name")
        self._end()
        return found

    def _number(self, what: str) -> int:
        return number(self._next(what))

    # ---- statements

    def _change(self, operation: str) -> TableChange:
        table = self._next("the name of the table")
        priority: int | None = None
        if self._peek(1) != ":" and _NUMBER.fullmatch(self._peek()) and self._peek(1) not in ("(", ""):
            priority = self._number("the priority")
        elif operation == "delete" and self._peek(1) != ":" and _NUMBER.fullmatch(self._peek()):
            priority = self._number("the priority")
        key: list[Match] = []
        while self._peek(1) == ":":
            key.append(self._match())
        action = None if operation == "delete" else self._action()
        if self._peek() == "=":
            self.at += 2
        self._end()
        return TableChange(self.number, operation, table, priority, tuple(key), action)

    def _match(self) -> Match:
        name = self._next("the name of a key field")
        self._want(":")
        text = self._next("the value of a key field")
        while self._peek() == ":" and re.fullmatch(r"([0-9a-fA-F]{2}:)*[0-9a-fA-F]{2}", text):
            text += self._next("") + self._next("a part of the address")
        return match_of(name, text)

    def _action(self) -> ActionUse:
        name = self._next("the name of the action")
        arguments: list[tuple[str, int]] = []
        self._want("(")
        while self._peek() != ")":
            named = self._peek(1) == ":" and not re.fullmatch(r"[0-9a-fA-F]{2}", self._peek())
            key = self._next("an argument") if named else ""
            if named:
                self._want(":")
            arguments.append((key, number(self._value_text())))
            if self._peek() == ",":
                self.at += 1
        self._want(")")
        return ActionUse(name, tuple(arguments))

    def _value_text(self) -> str:
        text = self._next("a value")
        while self._peek() == ":":
            text += self._next("") + self._next("a part of the address")
        return text

    def _remove(self) -> Statement:
        if self._next("'all'") != "all":
            raise ValueError("only 'remove all' is known; use 'delete TABLE key…' for one entry")
        self._end()
        return RemoveAll(self.number)

    def _set_default(self) -> SetDefault:
        table = self._next("the name of the table")
        action = self._action()
        self._end()
        return SetDefault(self.number, table, action)

    def _refused(self) -> Statement:
        why = self._next("the reason")
        if why not in _REFUSALS:
            raise ValueError(f"'{why}' is not a reason for a refusal; known: {', '.join(_REFUSALS)}")
        operation = self._next("a statement")
        if operation == "setdefault":
            made = self._set_default()
            return SetDefault(self.number, made.table, made.action, why)
        if operation == "clear":
            return TableChange(self.number, "clear", self._only_word(), None, (), None, why)
        if operation not in ("add", "modify", "delete"):
            raise ValueError(f"'{operation}' is not refused by tables")
        change = self._change(operation)
        return TableChange(self.number, operation, change.table, change.priority, change.key, change.action, why)

    def _packet(self) -> SendPacket:
        port, _, digits = self.rest.partition(" ")
        digits = "".join(digits.split())
        if not port:
            raise ValueError("the port is missing")
        try:
            return SendPacket(self.number, port, bytes.fromhex(digits))
        except ValueError as problem:
            raise ValueError("a packet is whole bytes in hex") from problem

    def _expect(self) -> ExpectPacket:
        port, _, digits = self.rest.partition(" ")
        digits = "".join(digits.split())
        if not port:
            raise ValueError("the port is missing")
        if not digits:
            return ExpectPacket(self.number, port, None, False)
        exact = digits.endswith("$")
        digits = digits.removesuffix("$").lower()
        if re.search(r"[^0-9a-f*]", digits):
            raise ValueError("an expected packet is hex digits, '*' and a '$' at the end")
        return ExpectPacket(self.number, port, digits, exact)

    def _fields(self) -> tuple[tuple[str, int], ...]:
        found: list[tuple[str, int]] = []
        while self.at < len(self.tokens):
            name = self._next("a field")
            self._want("=")
            found.append((name, number(self._value_text())))
        if not found:
            raise ValueError("FIELD=VALUE is missing")
        return tuple(found)

    def _time(self) -> SetTime:
        relative = self._peek() == "+"
        self.at += relative
        cycles = self._number("the number of cycles")
        self._end()
        return SetTime(self.number, cycles, relative)

    def _register_write(self) -> WriteRegister:
        name = self._next("the name of the extern")
        index, value = self._number("the index"), self._number("the value")
        self._end()
        return WriteRegister(self.number, name, index, value)

    def _setting(self) -> Configure:
        name, setting = self._next("the name of the extern"), self._next("the name of the setting")
        index = self._index()
        value = self._number("the value")
        self._end()
        return Configure(self.number, name, setting, index or 0, value)

    def _index(self) -> int | None:
        """What stands in parentheses behind a name."""
        if self._peek() != "(":
            return None
        self.at += 1
        index = self._number("the index")
        self._want(")")
        return index

    def _check(self, what: str) -> Check:
        name = self._next("a name")
        given = self._index()
        if given is None and what == "register":
            raise ValueError("a register is written NAME(INDEX)")
        index = given or 0
        if self._peek() == "=" and self._peek(1) == "=":
            self.at += 1
        if self._next("'=='") not in ("==", "="):
            raise ValueError("'== VALUE' is missing")
        value = self._number("the value")
        self._end()
        return Check(self.number, what, name, index, value)


def number(text: str) -> int:
    """Decimal, 0x, 0b, dotted IPv4 or a MAC address."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"'{text}' is not a number")
    if text.count(".") == 3:
        parts = [int(p) for p in text.split(".")]
        if max(parts) > 255:
            raise ValueError(f"'{text}' is not an IPv4 address")
        return int.from_bytes(bytes(parts), "big")
    if ":" in text:
        return int(text.replace(":", ""), 16)
    return int(text, 0) if text[:1] == "0" and text[1:2].isalpha() else int(text, 10)


def match_of(name: str, text: str) -> Match:
    """`value`, `value/prefix`, `value&&&mask`, `low..high`, or digits with `*`."""
    if "&&&" in text:
        value, mask = text.split("&&&", 1)
        return Match(name, number(value), mask=number(mask))
    if ".." in text:
        low, high = text.split("..", 1)
        return Match(name, number(low), high=number(high))
    if "/" in text:
        address, length = text.split("/", 1)
        return Match(name, number(address), prefix=number(length))
    if "*" in text:
        head = text[:2].lower()
        if head not in ("0x", "0b"):
            raise ValueError(f"'{text}' has a '*', so it has to begin with 0x or 0b")
        base, one = (16, "f") if head == "0x" else (2, "1")
        digits = text[2:]
        bits = int(digits.replace("*", "0"), base)
        return Match(name, bits, mask=int("".join("0" if d == "*" else one for d in digits), base))
    return Match(name, number(text))
