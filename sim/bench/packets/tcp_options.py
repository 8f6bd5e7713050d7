# SPDX-License-Identifier: Apache-2.0
"""Hangs layers into scapy's TCP option list, and makes a block rebuild to the bytes it was read from.

scapy knows a layer as an option's value for kind 29 only, written into `TCPOptionsField` itself. `install`
does the same for any kind. Beside it there is one more entry of the list:

    ("RAW", bytes)    goes out as it is, without kind and length

Use it to build what is no option: a length of 0 or 1, a length beyond the header, bytes behind EOL.
Dissecting yields it for the same, from there to the end of the block; plain scapy guesses a length and
loses bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scapy.layers.inet import TCPOptions, TCPOptionsField

from bench.packets.protocols import TCP_OPTION_EOL, TCP_OPTION_NOP

RAW_NAME = "RAW"

_layers: dict[int, Callable[[bytes], Any]] = {}
_whole = {RAW_NAME}
_scapy_dissect = TCPOptionsField.m2i
_scapy_build = TCPOptionsField.i2m


def install(kind: int, name: str, layer: Callable[[bytes], Any]) -> None:
    """Options of `kind` become `(name, layer(bytes of the whole option))`. Doing it again changes nothing."""
    TCPOptions[0][kind] = (name, None)
    TCPOptions[1][name] = kind
    _layers[kind] = layer
    _whole.add(name)
    TCPOptionsField.m2i = _dissect
    TCPOptionsField.i2m = _build


def unpadded(options: Iterable[tuple[Any, Any]]) -> bytes:
    """The options' bytes without the padding that TCP puts behind them."""
    return b"".join(_option_bytes(name, value) for name, value in options)


def _option_bytes(name: Any, value: Any) -> bytes:
    if name in _whole:
        return bytes(value)
    built = bytes(_scapy_build(None, None, [(name, value)]))
    without_padding = 1 if built[:1] in (b"", b"\x00", b"\x01") else built[1]
    return built[:without_padding]


def _build(field: Any, packet: Any, options: Any) -> bytes:
    block = unpadded(options or ())
    return block + bytes(-len(block) % 4)


def _dissect(field: Any, packet: Any, block: bytes) -> list[tuple[Any, Any]]:
    return list(_options(field, packet, block))


def _options(field: Any, packet: Any, block: bytes) -> Iterator[tuple[Any, Any]]:
    while block:
        kind = block[0]
        if kind == TCP_OPTION_EOL:
            yield ("EOL", None)
            rest = block[1:]
            if any(rest) or len(rest) > 3:
                yield (RAW_NAME, rest)
            return
        if kind == TCP_OPTION_NOP:
            yield ("NOP", None)
            block = block[1:]
            continue
        length = block[1] if len(block) > 1 else 0
        if length < 2 or length > len(block):
            yield (RAW_NAME, block)
            return
        option, block = block[:length], block[length:]
        if kind in _layers:
            yield (TCPOptions[0][kind][0], _layers[kind](option))
            continue
        ((name, value),) = _scapy_dissect(field, packet, option)
        kept = _option_bytes(name, value) == option
        yield (name, value) if kept else (kind, option[2:])
