# SPDX-License-Identifier: Apache-2.0
"""A simulated switch on a socket, as docs/socket.md has it.

python -m switch.server PROGRAM.p4 --listen HOST:PORT
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from p4sume.cases import stf
from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.ports import PortError, port_bit
from p4sume.cases.rtl_build import build_switch
from p4sume.cases.runner import CaseError, run_case
from p4sume.cases.stf import StfError
from p4sume.cases.target import BuildError, DeviceError, TargetRefusedError
from p4sume.control.registers import BusError
from p4sume.frontend import Options
from p4sume.syntax.preprocessor import UnreadableSourceError
from switch.library import CPU, SimulatedSwitch

SCHEMA = 1
LINE_BYTES = 1 << 20
UNREAD_BYTES = 16 << 20
CHUNK_CYCLES = 500  # between two looks at the sockets
MOST_CYCLES = 100_000_000  # of one request
LONGEST_FRAME = 9600
CPU_NAME = "cpu"
BUILDERS = {"rtl": build_switch, "model": build_model_switch}

Request = dict[str, Any]
Answer = dict[str, Any]


class RequestError(Exception):
    """The request cannot be done: why, in a sentence."""


class SwitchServer:
    def __init__(self, switch: SimulatedSwitch, paused: bool = False) -> None:
        self._switch = switch
        self._device = switch.device
        self._paused = paused
        self._listeners: dict[int, set[asyncio.StreamWriter]] = defaultdict(set)
        self._handlers: dict[str, Callable[[Request, asyncio.StreamWriter], Answer]] = {
            "describe": self._describe,
            "read": self._read,
            "write": self._write,
            "run": self._run,
            "send": self._send,
            "listen": self._listen,
            "link": self._link,
        }
        self._device.hold(CPU, True)

    async def serve(self, host: str, port: int, ready: Callable[[str, int], None]) -> None:
        """Runs until it is cancelled. `ready` is told where it listens: port 0 is any that is free."""
        server = await asyncio.start_server(self._client, host, port, limit=LINE_BYTES)
        async with server:
            name = server.sockets[0].getsockname()
            ready(name[0], name[1])
            while True:
                if self._paused:
                    await asyncio.sleep(0.05)
                    continue
                with contextlib.suppress(DeviceError):  # every request says so
                    self._pass_time(CHUNK_CYCLES)
                await asyncio.sleep(0)

    # ---- a client

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                self._tell(writer, self._answer(line, writer))
                await writer.drain()
        except (ValueError, asyncio.LimitOverrunError):
            self._tell(writer, {"error": f"a line has more than {LINE_BYTES} bytes"})
            writer.write_eof()
            while await reader.read(LINE_BYTES):  # a close with something unread would take the answer away
                pass
        except ConnectionError:
            pass
        finally:
            self._forget(writer)
            writer.close()

    def _answer(self, line: bytes, writer: asyncio.StreamWriter) -> Answer:
        try:
            request = json.loads(line)
        except ValueError as problem:
            return {"error": f"not a line of JSON: {problem}"}
        try:
            handler = self._handlers.get(_text(request, "do")) if isinstance(request, dict) else None
            if handler is None:
                raise RequestError(f"a request is an object whose 'do' is one of {', '.join(self._handlers)}")
            return handler(request, writer)
        except (RequestError, PortError, DeviceError) as problem:
            return {"error": str(problem)}
        except BusError as problem:
            return {"error": str(problem), "response": str(problem).rpartition(" ")[2]}

    def _tell(self, writer: asyncio.StreamWriter, what: Answer) -> None:
        writer.write(json.dumps(what).encode() + b"\n")

    def _forget(self, writer: asyncio.StreamWriter) -> None:
        for port, listening in self._listeners.items():
            listening.discard(writer)
            if port == CPU and not listening:
                with contextlib.suppress(DeviceError):
                    self._device.hold(CPU, True)

    # ---- what it can do

    def _describe(self, _: Request, __: asyncio.StreamWriter) -> Answer:
        manifest = self._switch.program.manifest
        return {
            "schema": SCHEMA, "program": manifest["program"], "ports": self._device.ports, "manifest": manifest,
        }  # fmt: skip

    def _read(self, request: Request, _: asyncio.StreamWriter) -> Answer:
        return {"value": self._device.read(_address(request))}

    def _write(self, request: Request, _: asyncio.StreamWriter) -> Answer:
        self._device.write(_address(request), _number(request, "value", 1 << 32))
        return {}

    def _run(self, request: Request, _: asyncio.StreamWriter) -> Answer:
        left = _number(request, "cycles", MOST_CYCLES + 1) if "cycles" in request else 0
        while left:
            self._pass_time(min(left, CHUNK_CYCLES))
            left -= min(left, CHUNK_CYCLES)
        return {"cycle": self._device.cycle}

    def _send(self, request: Request, _: asyncio.StreamWriter) -> Answer:
        bit = port_bit(_text(request, "port"), 2 * self._device.ports)
        try:
            frame = bytes.fromhex(_text(request, "frame"))
        except ValueError:
            raise RequestError("'frame' is not hex") from None
        if not 1 <= len(frame) <= LONGEST_FRAME:
            raise RequestError(f"a frame has from 1 to {LONGEST_FRAME} bytes, this one {len(frame)}")
        if bit % 2:
            self._device.send(CPU, frame, from_port=bit // 2)
        else:
            self._device.send(bit // 2, frame)
        return {}

    def _listen(self, request: Request, writer: asyncio.StreamWriter) -> Answer:
        port = self._way_out(_text(request, "port"))
        self._listeners[port].add(writer)
        if port == CPU:
            self._device.hold(CPU, False)
        return {}

    def _link(self, request: Request, _: asyncio.StreamWriter) -> Answer:
        wire = self._way_out(_text(request, "port"))
        up = request.get("up")
        if wire == CPU or not isinstance(up, bool):
            raise RequestError("'port' is a wire, as nf0, and 'up' true or false")
        self._device.set_link(wire, up)
        return {}

    def _way_out(self, name: str) -> int:
        if name == CPU_NAME:
            return CPU
        bit = port_bit(name, 2 * self._device.ports)
        if bit % 2:
            raise RequestError(f"the CPU sides share one queue: listen at '{CPU_NAME}'")
        return bit // 2

    # ---- time

    def _pass_time(self, cycles: int) -> None:
        self._device.run(cycles)
        for port in (*range(self._device.ports), CPU):
            for departure in self._device.received(port):
                event: Answer = {
                    "event": "frame",
                    "port": CPU_NAME if port == CPU else f"nf{port}",
                    "frame": departure.data.hex(),
                    "cycle": departure.last,
                }
                if port == CPU:
                    event |= {"from_ports": departure.from_ports, "to_ports": departure.to_ports}
                for writer in list(self._listeners[port]):
                    self._tell(writer, event)
                    if writer.transport.get_write_buffer_size() > UNREAD_BYTES:
                        self._forget(writer)
                        writer.transport.abort()


def _text(request: Request, name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str):
        raise RequestError(f"'{name}' is missing, or no text")
    return value


def _number(request: Request, name: str, limit: int) -> int:
    value = request.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
        raise RequestError(f"'{name}' is a number from 0 to {limit - 1}")
    return value


def _address(request: Request) -> int:
    address = _number(request, "address", 1 << 32)
    if address % 4:
        raise RequestError("'address' is a multiple of 4")
    return address


def host_and_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:PORT")
    return host.strip("[]"), int(port)


def _ready(host: str, port: int) -> None:
    print(f"listening on {f'[{host}]' if ':' in host else host}:{port}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m switch.server", description=__doc__.partition("\n")[0])
    parser.add_argument("program", type=Path, metavar="PROGRAM.p4")
    parser.add_argument("--listen", type=host_and_port, default=("127.0.0.1", 9595), metavar="HOST:PORT")
    parser.add_argument("--on", choices=BUILDERS, default="rtl", help="what the switch is made of; rtl if not given")
    parser.add_argument("--case", type=Path, metavar="FILE.stf", help="sets tables and registers up first")
    parser.add_argument("--paused", action="store_true", help="time passes only as requests need it")
    given = parser.parse_args()
    try:
        switch = SimulatedSwitch(BUILDERS[given.on](given.program, Options("sume")))
        if given.case is not None:
            settings = (stf.TableChange, stf.SetDefault, stf.WriteRegister, stf.Configure)
            statements = [s for s in stf.parse_file(given.case) if isinstance(s, settings)]
            run_case(statements, switch.program, str(given.case))  # type: ignore[arg-type]
    except (UnreadableSourceError, BuildError, StfError, CaseError, TargetRefusedError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    try:
        asyncio.run(SwitchServer(switch, given.paused).serve(*given.listen, ready=_ready))
    except OSError as problem:
        print(f"cannot listen there: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
