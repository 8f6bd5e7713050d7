// SPDX-License-Identifier: Apache-2.0
// What a frame is to the fabric: data of a host, known by the trailer that it ends with, a probe, or any other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "switch.hpp"

namespace fabric {

enum class Kind : uint8_t { DATA, PROBE, OTHER };
inline constexpr size_t KINDS = 3;

using Serial = uint64_t;

struct Seen {
  Kind kind = Kind::OTHER;
  Serial serial = 0;  // of data
};

// Mark, serial, and the complement of the serial's sum in 16-bit words: an IP checksum over all does not change.
inline constexpr std::array<uint8_t, 4> MARK = {0xfa, 0xb1, 0x1c, 0x5e};
inline constexpr size_t SERIAL_BYTES = 6, BALANCE_BYTES = 2;
inline constexpr size_t TRAILER_BYTES = MARK.size() + SERIAL_BYTES + BALANCE_BYTES;
using Trailer = std::array<uint8_t, TRAILER_BYTES>;

inline Trailer trailer_of(Serial serial) {
  Trailer made{};
  std::copy(MARK.begin(), MARK.end(), made.begin());
  uint32_t sum = 0;
  for (size_t i = 0; i < SERIAL_BYTES; ++i) {
    const auto byte = static_cast<uint8_t>(serial >> 8 * (SERIAL_BYTES - 1 - i));
    made[MARK.size() + i] = byte;
    sum += i % 2 == 0 ? uint32_t{byte} << 8 : byte;
  }
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  made[TRAILER_BYTES - 2] = static_cast<uint8_t>(~sum >> 8);
  made[TRAILER_BYTES - 1] = static_cast<uint8_t>(~sum);
  return made;
}

inline bool is_probe(const uint8_t* data, size_t length) {
  constexpr size_t TYPE_BYTE = 12, TAG_BYTES = 4, PROTOCOL_BYTE = 9;
  const auto type_at = [&](size_t at) { return static_cast<unsigned>(data[at] << 8 | data[at + 1]); };
  size_t at = TYPE_BYTE;
  while (at + 2 <= length && (type_at(at) == FABRIC_ETHERTYPE_VLAN || type_at(at) == FABRIC_ETHERTYPE_QINQ))
    at += TAG_BYTES;
  if (at + 2 + PROTOCOL_BYTE >= length || type_at(at) != FABRIC_ETHERTYPE_IPV4) return false;
  return data[at + 2 + PROTOCOL_BYTE] == FABRIC_IP_PROTOCOL_HULA;
}

// `issued`: serials from here on nobody has sent.
inline Seen see(const uint8_t* data, size_t length, Serial issued) {
  if (length >= TRAILER_BYTES) {
    const uint8_t* trailer = data + length - TRAILER_BYTES;
    if (std::equal(MARK.begin(), MARK.end(), trailer)) {
      Serial serial = 0;
      for (size_t i = 0; i < SERIAL_BYTES; ++i) serial = serial << 8 | trailer[MARK.size() + i];
      const Trailer right = trailer_of(serial);
      if (serial < issued && std::equal(right.begin(), right.end(), trailer)) return {Kind::DATA, serial};
    }
  }
  return {is_probe(data, length) ? Kind::PROBE : Kind::OTHER, 0};
}

}  // namespace fabric
