# SPDX-License-Identifier: Apache-2.0
"""A simulated switch behind a socket, as docs/socket.md has it."""

from __future__ import annotations

import json
import socket
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from p4sume.control.registers import BusError


class RemoteError(Exception):
    """The switch could not do what it was asked, or is gone."""


@dataclass(frozen=True)
class RemoteFrame:
    """A frame that has left. `from_ports` and `to_ports` are those of a frame for the CPU."""

    port: str
    data: bytes
    cycle: int
    from_ports: int = 0
    to_ports: int = 0


class RemoteSwitch:
    """`read` and `write` are a bus."""

    def __init__(self, place: str, timeout_s: float = 60) -> None:
        """`place` is HOST:PORT."""
        host, _, port = place.rpartition(":")
        self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout_s)
        self._lines = self._socket.makefile("rb")
        self._frames: deque[RemoteFrame] = deque()
        self._said: dict[str, Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    @property
    def manifest(self) -> dict[str, Any]:
        if self._said is None:
            self._said = self._ask({"do": "describe"})["manifest"]
        return self._said

    def read(self, address: int) -> int:
        return int(self._ask({"do": "read", "address": address})["value"])

    def write(self, address: int, value: int) -> None:
        self._ask({"do": "write", "address": address, "value": value})

    def run(self, cycles: int | None = None) -> int:
        """Lets time pass, and tells it."""
        return int(self._ask({"do": "run"} | ({} if cycles is None else {"cycles": cycles}))["cycle"])

    def send(self, port: str, frame: bytes) -> None:
        self._ask({"do": "send", "port": port, "frame": frame.hex()})

    def listen(self, port: str) -> None:
        self._ask({"do": "listen", "port": port})

    def set_link(self, port: str, up: bool) -> None:
        self._ask({"do": "link", "port": port, "up": up})

    def frames(self) -> list[RemoteFrame]:
        """Those that have come since."""
        self.run()  # its answer comes behind them
        came = list(self._frames)
        self._frames.clear()
        return came

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            line = self._lines.readline()
            if not line:
                raise RemoteError("the switch has closed the connection")
            answer: dict[str, Any] = json.loads(line)
            if answer.get("event") == "frame":
                self._frames.append(
                    RemoteFrame(
                        answer["port"],
                        bytes.fromhex(answer["frame"]),
                        answer["cycle"],
                        answer.get("from_ports", 0),
                        answer.get("to_ports", 0),
                    )
                )
            elif "response" in answer:
                raise BusError(answer["error"])
            elif "error" in answer:
                raise RemoteError(answer["error"])
            else:
                return answer
