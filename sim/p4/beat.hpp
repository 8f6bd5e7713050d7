// SPDX-License-Identifier: Apache-2.0
// A beat of a stream of frames, and frames cut into beats and put together again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace p4 {

inline constexpr unsigned DATA_BYTES = 32;

struct Beat {
  std::array<uint8_t, DATA_BYTES> data{};  // the first byte on the wire is the first here
  uint32_t keep = 0;
  bool last = false;

  bool operator==(const Beat&) const = default;
};

// The beat of a frame that begins at `offset`. What lies behind the frame's end means nothing: anything but zero, so
// that nobody relies on it.
inline Beat beat_of(const std::vector<uint8_t>& frame, size_t offset) {
  const size_t count = std::min<size_t>(DATA_BYTES, frame.size() - offset);
  Beat beat;
  std::memcpy(beat.data.data(), frame.data() + offset, count);
  std::memset(beat.data.data() + count, 0xA5, DATA_BYTES - count);
  beat.keep = count == DATA_BYTES ? ~0U : (1U << count) - 1;
  beat.last = offset + count == frame.size();
  return beat;
}

// Puts a beat behind what has come of a frame; raises if its tkeep breaks the contract of streams.
inline void append(std::vector<uint8_t>& frame, const Beat& beat) {
  const unsigned count = static_cast<unsigned>(std::popcount(beat.keep));
  const uint32_t full = count == DATA_BYTES ? ~0U : (1U << count) - 1;
  if (count == 0 || beat.keep != full || (count < DATA_BYTES && !beat.last))
    throw std::runtime_error("the output's tkeep has a hole or ends a packet before its last beat");
  frame.insert(frame.end(), beat.data.begin(), beat.data.begin() + count);
}

}  // namespace p4
