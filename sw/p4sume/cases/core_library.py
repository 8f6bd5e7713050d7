# SPDX-License-Identifier: Apache-2.0
"""A program's RTL as a Python object: the interface of sim/p4/core_api.h through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p4sume.cases.target import DeviceError
from p4sume.control.registers import BusError

_RESPONSES = ("OKAY", "EXOKAY", "SLVERR", "DECERR")


@dataclass(frozen=True)
class Output:
    """A packet that left, the number in its tuser, and when its first and its last beat passed."""

    data: bytes
    user: int
    first: int
    last: int


@dataclass(frozen=True)
class Verdict:
    """What was decided about a packet: reason 0 lets it go on. `entered`: when its first beat came in."""

    reason: int
    user: int
    entered: int


class _Input(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("user", ctypes.c_char_p),
        ("not_before", ctypes.c_uint64),
    ]


class _Output(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("user", ctypes.c_void_p),
        ("first", ctypes.c_uint64),
        ("last", ctypes.c_uint64),
    ]


class _Verdict(ctypes.Structure):
    _fields_ = [("reason", ctypes.c_uint32), ("user", ctypes.c_void_p), ("entered", ctypes.c_uint64)]


class AxiLiteLibrary:
    """The AXI-Lite side of a library: its functions answer with AXI's response, and `_check` raises what went wrong."""

    def _on_bus(self, read: Any, write: Any, handle: Any) -> None:
        self._bus_read, self._bus_write, self._bus_handle = read, write, handle

    def _check(self) -> None:
        raise NotImplementedError

    def read(self, address: int) -> int:
        value = ctypes.c_uint32()
        self._answered("read", address, self._bus_read(self._bus_handle, address, ctypes.byref(value)))
        return value.value

    def write(self, address: int, value: int) -> None:
        self._answered("write", address, self._bus_write(self._bus_handle, address, value))

    def _answered(self, what: str, address: int, response: int) -> None:
        self._check()
        if response:
            raise BusError(f"the {what} of address {address:#x} was answered with {_RESPONSES[response]}")


class CoreLibrary(AxiLiteLibrary):
    """One core. It is a bus, too: `read` and `write` are AXI-Lite."""

    def __init__(self, library: Path, seed: int = 1) -> None:
        self._library = ctypes.CDLL(str(library))
        self._declare()
        self._core = ctypes.c_void_p(self._library.p4c_create(seed))
        self._on_bus(self._library.p4c_read, self._library.p4c_write, self._core)
        self._user_in = int(self._library.p4c_user_bytes(self._core, 0))
        self._user_out = int(self._library.p4c_user_bytes(self._core, 1))
        self._check()

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None:
            self._library.p4c_destroy(core)

    def _declare(self) -> None:
        handle, number = ctypes.c_void_p, ctypes.c_uint64
        signatures: dict[str, tuple[object, list[object]]] = {
            "create": (handle, [number]),
            "destroy": (None, [handle]),
            "error": (ctypes.c_char_p, [handle]),
            "user_bytes": (ctypes.c_size_t, [handle, ctypes.c_int]),
            "cycle": (number, [handle]),
            "reset": (None, [handle]),
            "set_pace": (None, [handle, ctypes.c_uint, ctypes.c_uint]),
            "send": (None, [handle, ctypes.POINTER(_Input)]),
            "run": (None, [handle, number]),
            "drain": (None, [handle, number]),
            "next_output": (ctypes.c_int, [handle, ctypes.POINTER(_Output)]),
            "next_verdict": (ctypes.c_int, [handle, ctypes.POINTER(_Verdict)]),
            "write": (ctypes.c_int, [handle, ctypes.c_uint32, ctypes.c_uint32]),
            "read": (ctypes.c_int, [handle, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)]),
        }
        for name, (result, arguments) in signatures.items():
            function = getattr(self._library, f"p4c_{name}")
            function.restype, function.argtypes = result, arguments

    def _check(self) -> None:
        problem = self._library.p4c_error(self._core)
        if problem is not None:
            raise DeviceError(problem.decode())

    @property
    def cycle(self) -> int:
        return int(self._library.p4c_cycle(self._core))

    def reset(self) -> None:
        self._library.p4c_reset(self._core)
        self._check()

    def set_pace(self, gaps: int, stalls: int) -> None:
        """Percent of cycles in which no new beat is offered, and in which the output is not ready."""
        self._library.p4c_set_pace(self._core, gaps, stalls)

    def send(self, packet: bytes, user: int, not_before: int = 0) -> None:
        if not packet:
            raise ValueError("a packet of no bytes cannot come in on a stream")
        beside = user.to_bytes(self._user_in, "little")
        self._library.p4c_send(self._core, ctypes.byref(_Input(packet, len(packet), beside, not_before)))

    def run(self, cycles: int) -> None:
        self._library.p4c_run(self._core, cycles)
        self._check()

    def drain(self, patience: int = 2000) -> None:
        """Until every packet sent has left or is dropped."""
        self._library.p4c_drain(self._core, patience)
        self._check()

    def outputs(self) -> Iterator[Output]:
        """Packets that have left since the last call."""
        found = _Output()
        while self._library.p4c_next_output(self._core, ctypes.byref(found)):
            user = int.from_bytes(ctypes.string_at(found.user, self._user_out), "little")
            yield Output(ctypes.string_at(found.data, found.length), user, found.first, found.last)

    def verdicts(self) -> Iterator[Verdict]:
        """What was decided since the last call, a verdict for each packet, in order."""
        found = _Verdict()
        while self._library.p4c_next_verdict(self._core, ctypes.byref(found)):
            user = int.from_bytes(ctypes.string_at(found.user, self._user_out), "little")
            yield Verdict(found.reason, user, found.entered)
