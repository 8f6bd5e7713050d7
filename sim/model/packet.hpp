// SPDX-License-Identifier: Apache-2.0
// core.p4's packet_in and packet_out over bytes in memory. Bit 0 of a packet is the most significant of byte 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bits.hpp"
#include "value.hpp"

namespace p4 {

// What a packet meets on its way: the time, and the parser's error.
struct Context {
  uint64_t cycle = 0;  // of 5 ns
  error_t parser_error = error_t::NoError;

  // Always false, which is how generated parsers pass a rejection on.
  bool reject(error_t why) {
    parser_error = why;
    return false;
  }
};

// Up to 64 bits at a bit position. Reads up to 9 bytes, so the memory has to extend SLACK bytes beyond the packet.
inline constexpr size_t SLACK = 16;
inline uint64_t read_bits(const uint8_t* data, size_t position, unsigned width) {
  if (width == 0) return 0;
  const uint8_t* from = data + position / 8;
  const auto skip = static_cast<unsigned>(position % 8);
  uint64_t word;
  std::memcpy(&word, from, 8);
  word = __builtin_bswap64(word) << skip;
  if (skip + width > 64) word |= uint64_t{from[8]} >> (8 - skip);
  return word >> (64 - width);
}

// Takes values one after the other from a packet.
class Unpacker {
 public:
  Unpacker(const uint8_t* data, size_t position) : data_(data), position_(position) {}

  template <unsigned W>
  void take(bit<W>& value) {
    for (unsigned i = bit<W>::LIMBS; i-- > 0;) {
      const unsigned width = i + 1 < bit<W>::LIMBS ? 64 : W - 64 * i;
      value.limb[i] = read_bits(data_, position_, width);
      position_ += width;
    }
  }
  template <unsigned W>
  void take(sint<W>& value) {
    take(value.raw);
  }
  void take(bool& value) { value = read_bits(data_, position_++, 1) != 0; }
  template <unsigned W>
  void take(varbit<W>& value, uint32_t size) {
    value = {};
    value.size = size;
    for (uint32_t done = 0; done < size; done += 8) {
      const unsigned width = size - done < 8 ? size - done : 8;
      value.bytes[done / 8] = static_cast<uint8_t>(read_bits(data_, position_ + done, width) << (8 - width));
    }
    position_ += size;
  }

 private:
  const uint8_t* data_;
  size_t position_;
};

// Puts values one after the other into a buffer, which it lets grow.
class Packer {
 public:
  void clear() {
    size_ = 0;
    pending_ = 0;
    pending_bits_ = 0;
  }
  template <unsigned W>
  void put(const bit<W>& value) {
    for (unsigned i = bit<W>::LIMBS; i-- > 0;) put_bits(value.limb[i], i + 1 < bit<W>::LIMBS ? 64 : W - 64 * i);
  }
  template <unsigned W>
  void put(const sint<W>& value) {
    put(value.raw);
  }
  void put(bool value) { put_bits(value ? 1 : 0, 1); }
  template <unsigned W>
  void put(const varbit<W>& value) {
    for (uint32_t done = 0; done < value.size; done += 8) {
      const unsigned width = value.size - done < 8 ? value.size - done : 8;
      put_bits(value.bytes[done / 8] >> (8 - width), width);
    }
  }
  void put_bytes(const uint8_t* from, size_t count) {
    pad();
    room(count);
    std::memcpy(data_.data() + size_, from, count);
    size_ += count;
  }
  // Zeros to the next whole byte.
  void pad() {
    if (pending_bits_ != 0) put_bits(0, 8 - pending_bits_);
  }
  const uint8_t* data() const { return data_.data(); }
  size_t size() const { return size_; }

 private:
  void room(size_t more) {
    if (size_ + more > data_.size()) data_.resize(2 * (size_ + more) + 64);
  }
  void put_bits(uint64_t value, unsigned width) {
    if (pending_bits_ == 0 && width % 8 == 0) {
      room(8);
      while (width != 0) data_[size_++] = static_cast<uint8_t>(value >> (width -= 8));
      return;
    }
    while (width != 0) {
      const unsigned part = width < 8 - pending_bits_ ? width : 8 - pending_bits_;
      width -= part;
      pending_ = static_cast<uint8_t>(pending_ << part | (value >> width & ((1u << part) - 1)));
      pending_bits_ += part;
      if (pending_bits_ == 8) {
        room(1);
        data_[size_++] = pending_;
        pending_ = 0;
        pending_bits_ = 0;
      }
    }
  }

  std::vector<uint8_t> data_;
  size_t size_ = 0;
  uint8_t pending_ = 0;
  unsigned pending_bits_ = 0;
};

class packet_in {
 public:
  packet_in(Context& context, const uint8_t* data, size_t length)
      : context_(context), data_(data), length_bits_(8 * length) {}

  // False, with the error set, when the packet ends inside the header; the header is then as it was.
  template <class H>
  bool extract(H& header) {
    if (H::WIDTH_ > length_bits_ - position_) return context_.reject(error_t::PacketTooShort);
    Unpacker from(data_, position_);
    header.unpack_(from);
    position_ += H::WIDTH_;
    return true;
  }
  // A header with a varbit field of `size` bits.
  template <class H, unsigned W>
  bool extract(H& header, const bit<W>& size) {
    if (!size.fits_64() || size.low() > H::VARBIT_WIDTH_) return context_.reject(error_t::HeaderTooShort);
    if (size.low() % 8 != 0) return context_.reject(error_t::ParserInvalidArgument);
    if (H::WIDTH_ + size.low() > length_bits_ - position_) return context_.reject(error_t::PacketTooShort);
    Unpacker from(data_, position_);
    header.unpack_(from, static_cast<uint32_t>(size.low()));
    position_ += H::WIDTH_ + size.low();
    return true;
  }
  template <class H>
  bool extract_next(H& headers) {
    if (headers.next_index >= H::SIZE) return context_.reject(error_t::StackOutOfBounds);
    if (!extract(headers.next())) return false;
    ++headers.next_index;
    return true;
  }
  template <class H, unsigned W>
  bool extract_next(H& headers, const bit<W>& size) {
    if (headers.next_index >= H::SIZE) return context_.reject(error_t::StackOutOfBounds);
    if (!extract(headers.next(), size)) return false;
    ++headers.next_index;
    return true;
  }
  // extract(_): the header is skipped.
  bool skip(size_t width) {
    if (width > length_bits_ - position_) return context_.reject(error_t::PacketTooShort);
    position_ += width;
    return true;
  }
  // True when there are `width` bits to look at.
  bool can_look(size_t width) { return width <= length_bits_ - position_ || context_.reject(error_t::PacketTooShort); }
  Unpacker look() const { return Unpacker(data_, position_); }
  template <unsigned W>
  bool advance(const bit<W>& size) {
    if (size.low() % 8 != 0) return context_.reject(error_t::ParserInvalidArgument);
    if (!size.fits_64()) return context_.reject(error_t::PacketTooShort);
    return skip(size.low());
  }
  bit<32> length() const { return bit<32>(length_bits_ / 8); }

  size_t consumed_bytes() const { return (position_ + 7) / 8; }

 private:
  Context& context_;
  const uint8_t* data_;
  size_t length_bits_;
  size_t position_ = 0;
};

class packet_out {
 public:
  explicit packet_out(Packer& packer) : packer_(packer) {}

  // A header if it is valid; of a struct, union or stack the headers in it, in their order.
  template <class H>
  void emit(const H& headers) {
    headers.emit_(packer_);
  }

 private:
  Packer& packer_;
};

}  // namespace p4
