# SPDX-License-Identifier: Apache-2.0
"""Runs the statements of a case on a target and says what was not as expected.

Packets are gathered until a statement needs their outcome. Expectations are held against what each port sent, in
order, at the end; what was sent and not expected is a failure too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from p4sume.cases import stf
from p4sume.cases.ports import PortError, bits_of, port_bit, port_name
from p4sume.cases.target import Emitted, Stimulus, Target, TargetRefusedError
from p4sume.control.plane import KeyValue, TableInfo

# STF: the largest priority wins. Targets: the lowest.
_LARGEST_PRIORITY = (1 << 31) - 1
_NOWHERE = -1


class CaseError(Exception):
    """The case does not fit the program: no such table, key, port. The message begins with the line."""


@dataclass
class _Expected:
    statement: stf.ExpectPacket | stf.ExpectDigestOnly
    metadata: tuple[tuple[str, int], ...] = ()
    digest: tuple[tuple[str, int], ...] = ()


@dataclass
class Report:
    failures: list[str] = field(default_factory=list)
    packets: int = 0
    expectations: int = 0
    unchecked: int = 0  # counters that the target does not keep

    @property
    def passed(self) -> bool:
        return not self.failures


def run_case(statements: Sequence[stf.Statement], target: Target, name: str = "<stf>") -> Report:
    return _Run(target, name).run(statements)


class _Run:
    def __init__(self, target: Target, name: str) -> None:
        self.target = target
        self.name = name
        self.report = Report()
        self.pending: list[Stimulus] = []
        self.metadata: dict[str, int] = {}
        self.cycle = 0
        self.expected: dict[int, deque[_Expected]] = {}
        self.any_allowed: set[int] = set()
        self.drops_expected: dict[str, int] = {}
        self.drops: dict[str, int] = {}
        self.sent: dict[int, deque[Emitted]] = {}
        self.last: _Expected | None = None
        self.last_line: dict[str, int] = {}
        self.nothing_line = 0

    def run(self, statements: Sequence[stf.Statement]) -> Report:
        for statement in statements:
            self._fitting(statement.line, partial(self._statement, statement))
        if statements:
            self._fitting(statements[-1].line, self._flush)
        self._compare()
        return self.report

    def _fitting(self, line: int, step: Callable[[], None]) -> None:
        """What a target cannot make sense of is the case's fault."""
        try:
            step()
        except (KeyError, PortError, ValueError) as problem:
            message = problem.args[0] if problem.args else str(problem)
            raise CaseError(f"{self.name}:{line}:1: error: {message}") from problem

    def _fail(self, line: int, message: str) -> None:
        self.report.failures.append(f"{self.name}:{line}:1: {message}")

    def _statement(self, statement: stf.Statement) -> None:
        match statement:
            case stf.SendPacket(port=port, data=data):
                bit = port_bit(port, self.target.port_bits)
                self.pending.append(Stimulus(bit, data, self.cycle, self.metadata))
                self.metadata = {}
            case stf.SetMetadata(fields=fields):
                self._set_metadata(fields)
            case stf.ExpectPacket():
                self._expect_packet(statement)
            case stf.ExpectDrop(reason=reason):
                self.drops_expected[reason] = self.drops_expected.get(reason, 0) + 1
                self.last_line[reason] = statement.line
                self.last = None
                self.report.expectations += 1
            case stf.ExpectDigestOnly():
                self.last = _Expected(statement)
                self.expected.setdefault(_NOWHERE, deque()).append(self.last)
                self.report.expectations += 1
            case stf.ExpectFields():
                self._expect_fields(statement)
            case stf.NoPacket(line=line):
                self.nothing_line = line
                self.report.expectations += 1
            case stf.SetTime(cycles=cycles, relative=relative):
                self.cycle = self.cycle + cycles if relative else cycles
            case stf.Wait():
                self._flush()
            case _:
                self._flush()
                self._control(statement)

    def _set_metadata(self, fields: tuple[tuple[str, int], ...]) -> None:
        for name, value in fields:
            width = self.target.metadata_widths.get(name)
            if width is None:
                raise ValueError(f"there is no metadata field {name}")
            if value >> width:
                raise ValueError(f"{value:#x} does not fit the {width} bits of {name}")
        self.metadata = self.metadata | dict(fields)

    def _expect_packet(self, statement: stf.ExpectPacket) -> None:
        bit = port_bit(statement.port, self.target.port_bits)
        self.report.expectations += 1
        if statement.pattern is None:
            self.any_allowed.add(bit)
            self.last = None
            return
        self.last = _Expected(statement)
        self.expected.setdefault(bit, deque()).append(self.last)

    def _expect_fields(self, statement: stf.ExpectFields) -> None:
        if self.last is None:
            raise ValueError("there is no packet expected that these fields could be of")
        if statement.what == "metadata":
            self.last.metadata += statement.fields
        else:
            self.last.digest += statement.fields
        self.report.expectations += 1

    # ---- the control plane

    def _control(self, statement: stf.Statement) -> None:
        match statement:
            case stf.TableChange():
                self._change(statement)
            case stf.SetDefault():
                table = self.target.table(statement.table)
                action, arguments = _action(table, statement.action)
                self._refusable(statement, lambda: self.target.set_default(table, action, arguments))
            case stf.RemoveAll():
                for table in self.target.tables():
                    if not table.constant_entries:
                        self.target.change("clear", table, (), 0, "", ())
            case stf.WriteRegister(name=name, index=index, value=value):
                self.target.write_register(name, index, value)
            case stf.Configure(name=name, setting=setting, index=index, value=value):
                self.target.configure(name, setting, index, value)
            case stf.Check():
                self._check(statement)

    def _change(self, statement: stf.TableChange) -> None:
        table = self.target.table(statement.table)
        key = _key(table, statement.key) if statement.operation != "clear" else []
        action, arguments = ("", []) if statement.action is None else _action(table, statement.action)
        priority = 0
        if not all(k.match in ("exact", "lpm") for k in table.keys) or _several_lpm(table):
            priority = _LARGEST_PRIORITY - (statement.priority or 0)
        self._refusable(
            statement,
            lambda: self.target.change(statement.operation, table, key, priority, action, arguments),
        )

    def _refusable(self, statement: stf.TableChange | stf.SetDefault, operation: object) -> None:
        assert callable(operation)
        try:
            operation()
        except TargetRefusedError as refused:
            if refused.reason != statement.refused:
                self._fail(statement.line, str(refused))
            return
        if statement.refused:
            self._fail(statement.line, f"this was done, and should have been refused ({statement.refused})")

    def _check(self, statement: stf.Check) -> None:
        found: int | None
        match statement.what:
            case "register":
                found = self.target.read_register(statement.name, statement.index)
            case "counter":
                found = self.target.counter(statement.name)
            case _:
                found = self.target.entry_count(self.target.table(statement.name))
        if found is None:
            self.report.unchecked += 1
            return
        self.report.expectations += 1
        if found != statement.value:
            self._fail(statement.line, f"{statement.name} is {found:#x}, not {statement.value:#x}")

    # ---- packets

    def _flush(self) -> None:
        if not self.pending:
            return
        self.report.packets += len(self.pending)
        outcome = self.target.process(self.pending)
        self.pending = []
        for reason, count in outcome.drops.items():
            self.drops[reason] = self.drops.get(reason, 0) + count
        for packet in outcome.emitted:
            for bit in bits_of(packet.ports) if packet.ports else (_NOWHERE,):
                self.sent.setdefault(bit, deque()).append(packet)

    def _compare(self) -> None:
        for bit in sorted(self.expected.keys() | self.sent.keys()):
            self._compare_port(bit)
        for reason, count in self.drops_expected.items():
            found = self.drops.get(reason, 0)
            if found != count:
                self._fail(self.last_line[reason], f"{found} packets were dropped for {reason}, not {count}")
        if self.nothing_line and self.sent:
            self._fail(self.nothing_line, "packets were sent where none were expected")

    def _compare_port(self, bit: int) -> None:
        sent, expected = self.sent.get(bit, deque()), self.expected.get(bit, deque())
        name = "no port (digest only)" if bit == _NOWHERE else port_name(bit)
        while sent and expected:
            self._compare_packet(sent.popleft(), expected.popleft(), name)
        for missing in expected:
            self._fail(missing.statement.line, f"this packet did not come out of {name}")
        if bit not in self.any_allowed:
            for packet in sent:
                self._fail(0, f"a packet came out of {name} that was not expected: {packet.data.hex()}")

    def _compare_packet(self, packet: Emitted, expected: _Expected, port: str) -> None:
        statement = expected.statement
        if isinstance(statement, stf.ExpectPacket) and statement.pattern is not None:
            found = packet.data.hex()
            pattern = statement.pattern
            same = len(found) == len(pattern) if statement.exact else len(found) >= len(pattern)
            same = same and all(p in ("*", f) for p, f in zip(pattern, found, strict=False))
            if not same:
                self._fail(statement.line, f"{port} sent another packet\n  expected {pattern}\n  sent     {found}")
        self._compare_fields(packet, expected)

    def _compare_fields(self, packet: Emitted, expected: _Expected) -> None:
        line = expected.statement.line
        for what, wanted, found in (
            ("metadata", expected.metadata, packet.metadata),
            ("digest", expected.digest, packet.digest),
        ):
            for name, value in wanted:
                if name not in found:
                    self._fail(line, f"there is no {what} field {name}")
                elif found[name] != value:
                    self._fail(line, f"{what} field {name} is {found[name]:#x}, not {value:#x}")


def _several_lpm(table: TableInfo) -> bool:
    return sum(k.match == "lpm" for k in table.keys) > 1


def _key(table: TableInfo, written: Sequence[stf.Match]) -> list[KeyValue]:
    by_name = {k.name: i for i, k in enumerate(table.keys)}
    found: list[KeyValue] = [KeyValue(None)] * len(table.keys)
    for match in written:
        index = _key_index(by_name, match.name, table)
        kind, width = table.keys[index].match, table.keys[index].width
        if match.prefix is not None and kind in ("ternary", "optional"):
            ones = (1 << width) - 1
            found[index] = KeyValue(match.value, ones >> (width - match.prefix) << (width - match.prefix))
        elif kind == "range" and match.high is not None:
            found[index] = KeyValue(match.value, match.high)
        else:
            found[index] = KeyValue(match.value, match.mask, match.prefix)
        fits = {"exact": not (match.mask or match.high or match.prefix), "lpm": match.high is None}
        if not fits.get(kind, True):
            raise ValueError(f"key field '{match.name}' is {kind}, which takes no such value")
    for index, key in enumerate(table.keys):
        if found[index].value is None and key.match == "exact":
            raise ValueError(f"key field '{key.name}' of {table.name} is exact and has no value here")
    return found


def _key_index(by_name: dict[str, int], name: str, table: TableInfo) -> int:
    wanted = _plain(name)
    fitting = [i for full, i in by_name.items() if _plain(full) == wanted]
    fitting = fitting or [i for full, i in by_name.items() if _plain(full).endswith("." + wanted)]
    fitting = fitting or [i for full, i in by_name.items() if wanted.endswith("." + _plain(full))]
    if len(fitting) != 1:
        raise KeyError(f"{table.name} has {'no' if not fitting else 'more than one'} key field '{name}'")
    return fitting[0]


def _plain(name: str) -> str:
    """p4c writes `extra$0.h` for `extra[0].h`, and `$valid` or `$valid$` for isValid()."""
    name = name.replace("$valid$", "$valid")
    head, *rest = name.split("$")
    for part in rest:
        digits = len(part) - len(part.lstrip("0123456789"))
        head += f"[{part[:digits]}]{part[digits:]}" if digits else "$" + part
    return head


def _action(table: TableInfo, use: stf.ActionUse) -> tuple[str, list[int]]:
    info = table.action(use.name)
    if info is None:
        return use.name, [v for _, v in use.arguments]
    if all(not name for name, _ in use.arguments):
        return info.name, [v for _, v in use.arguments]
    given = dict(use.arguments)
    missing = [p.name for p in info.parameters if p.name not in given]
    surplus = sorted(set(given) - {p.name for p in info.parameters})
    if missing or surplus:
        what = f"lacks argument '{missing[0]}'" if missing else f"has no parameter '{surplus[0]}'"
        raise KeyError(f"action {info.name} of {table.name} {what}")
    return info.name, [given[p.name] for p in info.parameters]
