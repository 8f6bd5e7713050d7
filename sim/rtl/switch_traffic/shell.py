# SPDX-License-Identifier: Apache-2.0
"""A switch whose program is a few lines of Python: packets go to the ports that the test names for each of them."""

from __future__ import annotations

from collections import Counter, defaultdict

from bench.stream import StreamBench
from rtl.axis_traffic.traffic import split
from rtl.switch_traffic.pulses import frame, numbered, payload


class Switch:
    def __init__(self, bench: StreamBench, ports: int, lanes: int) -> None:
        self.bench, self.ports, self.lanes = bench, ports, lanes

        def names(stem: str) -> list[str]:
            return [stem] if ports == 1 else [f"{stem}_{i}" for i in range(ports)]

        self.sources = [bench.source[n] for n in (*names("s_axis_wire"), "s_axis_cpu", "s_axis_probe")]
        self.sinks = [bench.sink[n] for n in (*names("m_axis_wire"), "m_axis_cpu")]
        self.reports = [bench.sink[n] for n in names("tx")]
        self.to_program = bench.sink["m_axis_program"]
        self.from_program = bench.source["s_axis_program"]
        self.destination: dict[bytes, int] = {}  # by the first five bytes of a packet
        self.user: dict[bytes, int] = {}  # TUSER that the program saw
        self.number = 0
        self.expected: dict[str, Counter[int]] = defaultdict(Counter)  # counter: index: value
        self.copies: list[list[bytes]] = [[] for _ in self.sinks]  # that have to leave
        self._packet: list[int] = []
        bench.on_cycle(self._program)

    def _program(self) -> None:
        """Takes what the arbiter gives and sends whole packets on, with dst_port put in."""
        form, back = self.to_program.format, self.from_program.format
        low = 16 + 2 * self.ports
        for one in self.to_program.beats:
            self._packet.append(one)
            if not form.field(one, "last"):
                continue
            key = payload(form, self._packet[:1])[:5]
            self.user[key] = form.field(self._packet[0], "user")
            beats = []
            for beat in self._packet:
                fields = form.unpack(beat)
                fields["user"] |= self.destination[key] << low
                beats.append(back.pack(**fields))
            self.from_program.send(beats)
            self._packet = []
        self.to_program.beats.clear()

    def send(self, source: int, length: int, destination: int, bad: int = 0, cpu_port: int = 0) -> bytes:
        """A packet that the program sends to the ports `destination`."""
        self.number += 1
        data = numbered(source, self.number, length)
        self.destination[data[:5]] = destination
        sender = self.sources[source]
        form = sender.format
        beats = frame(form, data, None, **({"bad": bad} if "bad" in form.fields else {}))
        if source == self.ports:
            place, width = form.fields["user"]
            beats = [one & ~(((1 << width) - 1) << place) | cpu_port << place for one in beats]
        sender.send(beats)
        return data

    def expect(self, source: int, data: bytes, destination: int) -> None:
        """The counters and copies of a packet that goes all the way."""
        self.expected["rx_packets"][source] += 1
        self.expected["rx_bytes"][source] += len(data)
        queues = [port for port in range(self.ports) if destination >> 2 * port & 1]
        if destination & sum(2 << 2 * port for port in range(self.ports)):
            queues.append(self.ports)
        for queue in queues:
            self.copies[queue].append(data)
            self.expected["queue_packets"][queue] += 1
            self.expected["tx_packets"][queue] += 1
            if queue < self.ports:
                self.expected["tx_bytes"][queue] += len(data)
        if not queues:
            self.expected["queue_nowhere"][0] += 1

    async def settle(self, quiet_cycles: int = 300) -> None:
        quiet, had = 0, -1
        while quiet < quiet_cycles:
            moved = sum(len(sink.beats) for sink in self.sinks) + sum(len(s.queue) for s in self.sources)
            quiet, had = (quiet + 1 if moved == had else 0), moved
            await self.bench.cycles(1)

    def took(self) -> list[list[bytes]]:
        """What has left, per queue; and the meter has reported each packet of a wire."""
        packets = []
        for sink in self.sinks:
            beats, sink.beats = sink.beats, []
            packets.append([payload(sink.format, p) for p in split(sink.format, beats)])
        for report, left in zip(self.reports, packets, strict=False):
            reported = [report.format.field(one, "bytes") for one in report.beats]
            assert reported == [len(data) for data in left]
            report.beats.clear()
        return packets
