# SPDX-License-Identifier: Apache-2.0
"""A simulated switch as a Python object: the interface of sim/switch/switch_api.h through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from p4sume.cases.core_library import AxiLiteLibrary
from p4sume.cases.rtl_control import RtlControl
from p4sume.cases.target import DeviceError
from p4sume.control.registers import Registers

CPU = 0xFFFF_FFFF  # in place of a wire's number


@dataclass(frozen=True)
class Departure:
    """A frame that left, and the cycles in which its first and its last beat did. `from_ports`, `to_ports`: at the CPU,
    src_port and dst_port as the program left them."""

    data: bytes
    first: int
    last: int
    from_ports: int
    to_ports: int


class _Arrival(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("not_before", ctypes.c_uint64),
        ("damaged", ctypes.c_int),
        ("from_port", ctypes.c_uint32),
        ("paced", ctypes.c_int),
    ]


class DepartureStructure(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("first", ctypes.c_uint64),
        ("last", ctypes.c_uint64),
        ("from_ports", ctypes.c_uint32),
        ("to_ports", ctypes.c_uint32),
    ]


def departures(receive: Callable[[Any], int]) -> Iterator[Departure]:
    """What `receive` gives, until it gives nothing."""
    found = DepartureStructure()
    while receive(ctypes.byref(found)):
        data = ctypes.string_at(found.data, found.length)
        yield Departure(data, found.first, found.last, found.from_ports, found.to_ports)


class SwitchLibrary(AxiLiteLibrary):
    """One switch. It is a bus, too: `read` and `write` are AXI-Lite."""

    def __init__(self, library: Path, seed: int = 1) -> None:
        self._open(library)
        self._take(self._library.switch_create(seed))
        self._on_bus(self._library.switch_read, self._library.switch_write, self._switch)

    def _open(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._declare()

    def _take(self, handle: int) -> None:
        self._switch = ctypes.c_void_p(handle)
        self._check()
        self.ports = int(self._library.switch_ports(self._switch))

    def __del__(self) -> None:
        switch = getattr(self, "_switch", None)
        if switch is not None:
            self._library.switch_destroy(switch)

    def _declare(self) -> None:
        handle, number, word = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32
        signatures: dict[str, tuple[object, list[object]]] = {
            "create": (handle, [number]),
            "destroy": (None, [handle]),
            "error": (ctypes.c_char_p, [handle]),
            "ports": (ctypes.c_uint, [handle]),
            "cycle": (number, [handle]),
            "waiting": (number, [handle]),
            "reset": (None, [handle]),
            "run": (None, [handle, number]),
            "send": (None, [handle, word, ctypes.POINTER(_Arrival)]),
            "receive": (ctypes.c_int, [handle, word, ctypes.POINTER(DepartureStructure)]),
            "decision": (ctypes.c_int, [handle, ctypes.POINTER(word), ctypes.POINTER(number)]),
            "set_link": (None, [handle, word, ctypes.c_int]),
            "hold": (None, [handle, word, ctypes.c_int]),
            "set_rate": (None, [handle, word, word]),
            "spoil": (None, [handle, word]),
            "write": (ctypes.c_int, [handle, word, word]),
            "read": (ctypes.c_int, [handle, word, ctypes.POINTER(word)]),
        }
        for name, (result, arguments) in signatures.items():
            function = getattr(self._library, f"switch_{name}")
            function.restype, function.argtypes = result, arguments

    def _check(self) -> None:
        problem = self._library.switch_error(self._switch)
        if problem is not None:
            raise DeviceError(problem.decode())

    @property
    def cycle(self) -> int:
        return int(self._library.switch_cycle(self._switch))

    @property
    def waiting(self) -> int:
        """Frames sent that have not come in whole."""
        return int(self._library.switch_waiting(self._switch))

    def reset(self) -> None:
        self._library.switch_reset(self._switch)
        self._check()

    def run(self, cycles: int) -> None:
        self._library.switch_run(self._switch, cycles)
        self._check()

    def send(
        self,
        port: int,
        frame: bytes,
        not_before: int = 0,
        damaged: bool = False,
        from_port: int = 0,
        paced: bool = False,
    ) -> None:
        """`port`: a wire's number, or CPU; then `from_port` says whose CPU side sends. `paced`: from `not_before` on a
        beat comes each cycle, and whoever sends minds the wire's pace."""
        given = _Arrival(frame, len(frame), not_before, damaged, from_port, paced)
        self._library.switch_send(self._switch, port, ctypes.byref(given))
        self._check()

    def received(self, port: int) -> Iterator[Departure]:
        """What has left by a wire, or to the CPU, since the last call."""
        yield from departures(lambda found: self._library.switch_receive(self._switch, port, found))
        self._check()

    def decisions(self) -> Iterator[tuple[int, int]]:
        """What the program decided since the last call, for each packet in the order in which they came to it: the
        number of a drop reason or 0, and src_port as the program left it."""
        reason, from_ports = ctypes.c_uint32(), ctypes.c_uint64()
        while self._library.switch_decision(self._switch, ctypes.byref(reason), ctypes.byref(from_ports)):
            yield reason.value, from_ports.value

    def set_link(self, wire: int, up: bool) -> None:
        self._library.switch_set_link(self._switch, wire, up)
        self._check()

    def hold(self, port: int, held: bool) -> None:
        """A port that is held takes nothing: a MAC that is paused, a CPU that does not read."""
        self._library.switch_hold(self._switch, port, held)
        self._check()

    def set_rate(self, wire: int, mbps: int) -> None:
        """At which a wire takes what leaves; at first, and after a reset, 10 Gb/s."""
        self._library.switch_set_rate(self._switch, wire, mbps)
        self._check()

    def spoil(self, wire: int) -> None:
        """What has been sent to a wire and has not come in whole ends damaged."""
        self._library.switch_spoil(self._switch, wire)
        self._check()


class BuiltSwitch(Protocol):
    """What rtl_build.build_switch and model_switch.build_model_switch make."""

    @property
    def library(self) -> Path: ...

    @property
    def manifest(self) -> dict[str, Any]: ...


class SimulatedSwitch:
    """A switch with its program's tables and its own registers, by name, whatever is behind. `device`: one that is
    there already."""

    def __init__(self, built: BuiltSwitch, seed: int = 1, device: SwitchLibrary | None = None) -> None:
        around: dict[str, Any] = built.manifest["switch"]
        self.device = device or SwitchLibrary(built.library, seed)
        self.program = RtlControl(self.device, built.manifest, around["program_base"])
        self.registers = Registers(self.device, around["registers"])
        names = [r["name"] for r in around["registers"]]
        self.counter_names = [name.removeprefix("counters.") for name in names if name.startswith("counters.")]

    def reset(self) -> None:
        self.device.reset()
        self.program.restart()

    def counter(self, name: str) -> int:
        return self.registers.read(f"counters.{name}")
