# SPDX-License-Identifier: Apache-2.0
"""A fabric's C++ core as a Python object: the interface of core/fabric_api.h through ctypes, and nothing more."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from p4sume.cases.target import DeviceError
from switch.library import CPU, Departure, DepartureStructure, SwitchLibrary, departures

PATTERNS = ("constant", "poisson", "on_off")
CHANGES = ("cut", "repair", "load")
FAULTS = ("none", "vanish", "double", "swallow", "again")
PASSINGS = ("began", "came", "lost")
_KINDS = 3  # data, probes, others


class End(ctypes.Structure):
    _fields_ = [("is_host", ctypes.c_int), ("node", ctypes.c_uint32), ("port", ctypes.c_uint32)]


class Plan(ctypes.Structure):
    """Of a flow."""

    _fields_ = [
        ("source", ctypes.c_uint32),
        ("target", ctypes.c_uint32),
        ("pattern", ctypes.c_uint32),
        ("rate_mbps", ctypes.c_uint32),
        ("start_ps", ctypes.c_int64),
        ("stop_ps", ctypes.c_int64),
        ("on_ps", ctypes.c_int64),
        ("off_ps", ctypes.c_int64),
    ]


class Event(ctypes.Structure):
    _fields_ = [
        ("at_ps", ctypes.c_int64),
        ("change", ctypes.c_uint32),
        ("subject", ctypes.c_uint32),
        ("directions", ctypes.c_uint32),
        ("silent", ctypes.c_uint32),
        ("rate_mbps", ctypes.c_uint32),
    ]


class _Count(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_uint64), ("bytes", ctypes.c_uint64)]


class Lane(ctypes.Structure):
    _fields_ = [
        ("began", _Count * _KINDS),
        ("came", _Count * _KINDS),
        ("lost", _Count * _KINDS),
        ("flying", ctypes.c_uint64 * _KINDS),
        ("spoiled", ctypes.c_uint64),
        ("up", ctypes.c_int32),
    ]


class Passage(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64)
        for name in ("came", "left", "within", "copies", "doubled", "strange", "at_cpu", "nowhere", "others")
    ]


class _Arrival(ctypes.Structure):
    _fields_ = [("serial", ctypes.c_uint64), ("at_ps", ctypes.c_int64), ("length", ctypes.c_uint32)]


class _Passed(ctypes.Structure):
    _fields_ = [
        ("ps", ctypes.c_int64),
        ("serial", ctypes.c_uint64),
        ("link", ctypes.c_uint32),
        ("direction", ctypes.c_uint8),
        ("what", ctypes.c_uint8),
    ]


class FabricLibrary:
    """Switches, hosts, links and flows by their numbers."""

    def __init__(self, library: Path, seed: int, tracing: bool) -> None:
        self._library = ctypes.CDLL(str(library))
        self._declare()
        self._fabric = ctypes.c_void_p(self._library.fabric_create(seed, tracing))

    def __del__(self) -> None:
        fabric = getattr(self, "_fabric", None)
        if fabric is not None:
            self._library.fabric_destroy(fabric)

    def _declare(self) -> None:
        handle, number, word, flag = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int
        size, counted, pointer = ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER
        signatures: dict[str, tuple[object, list[object]]] = {
            "create": (handle, [number, flag]),
            "destroy": (None, [handle]),
            "error": (ctypes.c_char_p, [handle]),
            "add_switch": (word, [handle, ctypes.c_char_p, number]),
            "switch": (handle, [handle, word]),
            "add_host": (word, [handle]),
            "add_link": (word, [handle, pointer(End), pointer(End), word, ctypes.c_int64]),
            "add_flow": (word, [handle, pointer(Plan)]),
            "add_frame": (None, [handle, word, ctypes.c_char_p, size]),
            "trailer": (size, [number, ctypes.c_char_p, size]),
            "add_event": (None, [handle, pointer(Event)]),
            "cycle": (number, [handle]),
            "run": (None, [handle, number, flag]),
            "still": (flag, [handle]),
            "change": (None, [handle, pointer(Event)]),
            "read": (flag, [handle, word, word, pointer(word)]),
            "write": (flag, [handle, word, word, word]),
            "receive_at_cpu": (flag, [handle, word, pointer(DepartureStructure)]),
            "lane_state": (None, [handle, word, word, pointer(Lane)]),
            "passage_of": (None, [handle, word, pointer(Passage)]),
            "within": (size, [handle, word, pointer(number), pointer(word), size]),
            "host_state": (None, [handle, word, pointer(number), pointer(number)]),
            "arrivals": (pointer(_Arrival), [handle, word, counted]),
            "trace": (pointer(_Passed), [handle, counted]),
            "flows_of_serials": (pointer(word), [handle, counted]),
            "fault": (None, [handle, word, word, word]),
        }
        for name, (result, arguments) in signatures.items():
            function = getattr(self._library, f"fabric_{name}")
            function.restype, function.argtypes = result, arguments

    def check(self) -> None:
        problem = self._library.fabric_error(self._fabric)
        if problem is not None:
            raise DeviceError(problem.decode())

    # ---- what there is

    def add_switch(self, library: Path, seed: int) -> FabricSwitch:
        number = self._numbered(self._library.fabric_add_switch(self._fabric, str(library).encode(), seed))
        return FabricSwitch(self, library, number)

    def add_host(self) -> int:
        return self._numbered(self._library.fabric_add_host(self._fabric))

    def add_link(self, ends: tuple[End, End], rate_mbps: int, delay_ps: int) -> int:
        first, second = map(ctypes.byref, ends)
        return self._numbered(self._library.fabric_add_link(self._fabric, first, second, rate_mbps, delay_ps))

    def add_flow(self, plan: Plan) -> int:
        return self._numbered(self._library.fabric_add_flow(self._fabric, ctypes.byref(plan)))

    def add_frame(self, flow: int, frame: bytes) -> None:
        self._library.fabric_add_frame(self._fabric, flow, frame, len(frame))
        self.check()

    def trailer(self, serial: int) -> bytes:
        """How the frame of this serial number ends, by which it is known."""
        made = ctypes.create_string_buffer(self._library.fabric_trailer(serial, None, 0))
        self._library.fabric_trailer(serial, made, len(made))
        return made.raw

    def add_event(self, event: Event) -> None:
        self._library.fabric_add_event(self._fabric, ctypes.byref(event))

    def _numbered(self, number: int) -> int:
        self.check()
        return number

    # ---- time

    @property
    def cycle(self) -> int:
        return int(self._library.fabric_cycle(self._fabric))

    def run(self, cycles: int, sending: bool = True) -> None:
        self._library.fabric_run(self._fabric, cycles, sending)
        self.check()

    @property
    def still(self) -> bool:
        return bool(self._library.fabric_still(self._fabric))

    def change(self, event: Event) -> None:
        self._library.fabric_change(self._fabric, ctypes.byref(event))
        self.check()

    def fault(self, link: int, direction: int, kind: str) -> None:
        """Of the link's next frame, counted by nobody: it vanishes or comes twice; between switch and link it vanishes,
        or leaves once more."""
        self._library.fabric_fault(self._fabric, link, direction, FAULTS.index(kind))

    # ---- what was

    def lane(self, link: int, direction: int) -> Lane:
        found = Lane()
        self._library.fabric_lane_state(self._fabric, link, direction, ctypes.byref(found))
        return found

    def passage(self, switch: int) -> Passage:
        found = Passage()
        self._library.fabric_passage_of(self._fabric, switch, ctypes.byref(found))
        return found

    def within(self, switch: int) -> list[tuple[int, int]]:
        """Serials that came to a switch and have not left it, each with the port by which it came."""
        room = self._library.fabric_within(self._fabric, switch, None, None, 0)
        serials, ports = (ctypes.c_uint64 * room)(), (ctypes.c_uint32 * room)()
        self._library.fabric_within(self._fabric, switch, serials, ports, room)
        return list(zip(serials, ports, strict=True))

    def host(self, host: int) -> tuple[int, int]:
        """How many frames it has sent, and how many wait."""
        sent, waiting = ctypes.c_uint64(), ctypes.c_uint64()
        self._library.fabric_host_state(self._fabric, host, ctypes.byref(sent), ctypes.byref(waiting))
        return sent.value, waiting.value

    def arrivals(self, host: int) -> list[tuple[int, int, int]]:
        """Serial, when, how long."""
        rows = self._listed(lambda count: self._library.fabric_arrivals(self._fabric, host, count))
        return [(row.serial, row.at_ps, row.length) for row in rows]

    def trace(self) -> list[tuple[int, int, int, int, int]]:
        """When, link, direction, serial, what happened."""
        rows = self._listed(lambda count: self._library.fabric_trace(self._fabric, count))
        return [(row.ps, row.link, row.direction, row.serial, row.what) for row in rows]

    def flows_of_serials(self) -> list[int]:
        return self._listed(lambda count: self._library.fabric_flows_of_serials(self._fabric, count))

    @staticmethod
    def _listed(give: Callable[[Any], Any]) -> list[Any]:
        count = ctypes.c_size_t()
        first = give(ctypes.byref(count))
        return first[: count.value] if count.value else []

    # ---- for a switch

    def switch_handle(self, number: int) -> int:
        return int(self._library.fabric_switch(self._fabric, number))

    def bus(self, number: int) -> tuple[Callable[..., int], Callable[..., int]]:
        def read(_: object, address: int, value: Any) -> int:
            return int(self._library.fabric_read(self._fabric, number, address, value))

        def write(_: object, address: int, value: int) -> int:
            return int(self._library.fabric_write(self._fabric, number, address, value))

        return read, write

    def at_cpu(self, number: int) -> Iterator[Departure]:
        return departures(lambda found: self._library.fabric_receive_at_cpu(self._fabric, number, found))


class FabricSwitch(SwitchLibrary):
    """A switch of a fabric. Its time is the fabric's, and so is what its wires carry."""

    def __init__(self, fabric: FabricLibrary, library: Path, number: int) -> None:
        self._fabric = fabric
        self.number = number
        self._open(library)
        self._take(fabric.switch_handle(number))
        self._on_bus(*fabric.bus(number), self._switch)

    def __del__(self) -> None:
        pass  # it ends with its fabric

    def _check(self) -> None:
        self._fabric.check()
        super()._check()

    def run(self, cycles: int) -> None:
        raise DeviceError("a switch in a fabric has the fabric's time: run the fabric")

    def reset(self) -> None:
        raise DeviceError("a switch in a fabric is not reset: what it holds would be lost uncounted")

    def send(
        self,
        port: int,
        frame: bytes,
        not_before: int = 0,
        damaged: bool = False,
        from_port: int = 0,
        paced: bool = False,
    ) -> None:
        if port != CPU:
            raise DeviceError("in a fabric, hosts and switches send on wires: here only the CPU's side may")
        super().send(port, frame, not_before, damaged, from_port)

    def set_rate(self, wire: int, mbps: int) -> None:
        raise DeviceError("in a fabric, a wire has its link's rate")

    def spoil(self, wire: int) -> None:
        raise DeviceError("in a fabric, what spoils a frame is a cut of its link")

    def received(self, port: int) -> Iterator[Departure]:
        if port != CPU:
            raise DeviceError("in a fabric, what leaves by a wire is on its link: here only the CPU's side is received")
        return self._fabric.at_cpu(self.number)
