// SPDX-License-Identifier: Apache-2.0
// best_hops(in operation, in tor, in port, in utilisation, in now, out ports, out utilisations, out count, out best,
// out alive): the k best ports of each top-of-rack switch, by the rules of docs/hula.md.
//
// k is the number of utilisations in the result, and there are as many ports as bits in `alive`. `now` is bits of the
// packet's cycle, from tick_bits up, and is taken at most 2^WIDTH - 1 ticks before it; here times never wrap.
#pragma once

#include <optional>
#include <vector>

#include "extern.hpp"

namespace p4 {

template <unsigned OPERATION, unsigned TOR, unsigned PORT, unsigned UTILISATION, unsigned NOW, unsigned PORTS,
          unsigned UTILISATIONS, unsigned COUNT, unsigned BEST, unsigned ALIVE>
class extern_best_hops : public Extern {
  static_assert(OPERATION == 1 && UTILISATION == 8 && BEST == 8 && COUNT == 4, "these widths are fixed");
  static_assert(UTILISATIONS % 8 == 0 && PORTS == UTILISATIONS / 8 * PORT, "as many ports as utilisations");
  static_assert(NOW >= 4 && NOW <= 30, "now has from 4 to 30 bits");

 public:
  static constexpr unsigned K = UTILISATIONS / 8;
  static constexpr uint64_t NO_UTILISATION = 255;
  static constexpr uint64_t PROBE = 1;

  // cfg_literal
  static constexpr unsigned ONLY_BETTER = 1;
  static constexpr unsigned LESSER_UTILISATION = 2;
  static constexpr unsigned PORT_IN_SEVERAL = 4;

  struct Hop {
    uint64_t port, utilisation, time;
  };
  struct Row {
    std::vector<Hop> hops;  // the best first
    std::array<std::optional<uint64_t>, ALIVE> last_probe;
  };

  uint64_t fail_ticks = 0;
  unsigned literal = 0;

  explicit extern_best_hops(uint64_t tors = 10240, unsigned tick_bits = 6, uint64_t lag_cycles = 256)
      : tick_bits_(tick_bits), lag_ticks_(((lag_cycles - 1) >> tick_bits) + 1), rows_(tors) {
    if (lag_cycles == 0) lag_ticks_ = 0;
  }

  const char* kind() const override { return "best_hops"; }
  void reset() override { rows_.assign(rows_.size(), Row()); }
  bool configure(const std::string& setting, unsigned /*index*/, uint64_t value, uint64_t /*cycle*/) override {
    if (setting == "fail_ticks") fail_ticks = value;
    if (setting == "literal") literal = static_cast<unsigned>(value);
    return setting == "fail_ticks" || setting == "literal";
  }

  // A register is a row as the control port shows it, but for what the hardware keeps no longer, or elsewhere:
  // rank 1 in the low bits, of each port, utilisation, time, valid; above, port 0 first, of each time, valid.
  uint64_t registers() const override { return rows_.size(); }
  unsigned register_width() const override { return ROW_BITS; }
  const uint64_t* read(uint64_t index) override {
    if (index >= rows_.size()) return nullptr;
    shown_ = bit<ROW_BITS>();
    uint64_t low = 0;
    for (unsigned rank = 0; rank < K; ++rank, low += HOP_BITS) {
      if (rank >= rows_[index].hops.size()) continue;
      const Hop& hop = rows_[index].hops[rank];
      const auto at = concat(concat(bit<INDEX_BITS>(hop.port), bit<8>(hop.utilisation)), timed(hop.time));
      shown_ = shown_.with_bits(low, at);
    }
    for (const auto& last : rows_[index].last_probe) {
      if (last) shown_ = shown_.with_bits(low, timed(*last));
      low += NOW + 1;
    }
    return shown_.limb.data();
  }

  // The longest time-out; a longer one counts as this.
  uint64_t fail_ticks_limit() const { return (uint64_t{3} << (NOW - 2)) - 1 - lag_ticks_; }
  const Row& row(uint64_t tor) const { return rows_[tor]; }

  void call(const Context& context, const bit<OPERATION>& operation, const bit<TOR>& tor, const bit<PORT>& port,
            const bit<UTILISATION>& utilisation, const bit<NOW>& now, bit<PORTS>& ports,
            bit<UTILISATIONS>& utilisations, bit<COUNT>& count, bit<BEST>& best, bit<ALIVE>& alive) {
    ports = bit<PORTS>();
    utilisations = bit<UTILISATIONS>::ones();
    count = bit<COUNT>();
    best = bit<BEST>::ones();
    alive = bit<ALIVE>();
    if (tor.low() >= rows_.size()) return;
    Row& row = rows_[tor.low()];
    const uint64_t ticks = time(context) >> tick_bits_;
    const uint64_t asked = ticks - (bit<NOW>(ticks) - now).low();
    const uint64_t limit = fail_ticks < fail_ticks_limit() ? fail_ticks : fail_ticks_limit();
    const auto lives = [&](uint64_t at) { return asked - at <= limit; };

    if (operation.low() == PROBE && port.low() < ALIVE && utilisation.low() != NO_UTILISATION)
      probe(row, Hop{port.low(), utilisation.low(), asked}, lives);

    unsigned rank = 0;
    for (const Hop& hop : row.hops) {
      if (!lives(hop.time)) continue;
      ports = ports.with_bits(uint64_t{PORT} * rank, bit<PORT>(hop.port));
      utilisations = utilisations.with_bits(uint64_t{8} * rank, bit<8>(hop.utilisation));
      if (rank == 0) best = bit<BEST>(hop.utilisation);
      ++rank;
    }
    count = bit<COUNT>(rank);
    for (unsigned i = 0; i < ALIVE; ++i)
      if (row.last_probe[i] && lives(*row.last_probe[i])) alive = alive.with_bits(i, bit<1>(1));
  }

 private:
  static constexpr unsigned index_bits() {
    unsigned bits = 1;
    while ((1U << bits) < ALIVE) ++bits;
    return bits;
  }
  static constexpr unsigned INDEX_BITS = index_bits();
  static constexpr unsigned HOP_BITS = INDEX_BITS + 8 + NOW + 1;
  static constexpr unsigned ROW_BITS = K * HOP_BITS + ALIVE * (NOW + 1);

  static bit<NOW + 1> timed(uint64_t at) { return concat(bit<NOW>(at), bit<1>(1)); }

  template <typename Lives>
  void probe(Row& row, Hop hop, const Lives& lives) {
    std::vector<Hop> kept;
    std::optional<uint64_t> rank_1;
    for (const Hop& old : row.hops) {
      if (!lives(old.time)) continue;
      if (!rank_1) rank_1 = old.utilisation;
      if (old.port != hop.port || (literal & PORT_IN_SEVERAL) != 0) kept.push_back(old);
    }
    if (rank_1 && hop.utilisation >= *rank_1) {
      if ((literal & ONLY_BETTER) != 0) return;
      if ((literal & LESSER_UTILISATION) != 0) hop.utilisation = *rank_1;
    }
    auto place = kept.begin();
    while (place != kept.end() && place->utilisation <= hop.utilisation) ++place;
    kept.insert(place, hop);
    if (kept.size() > K) kept.pop_back();
    row.hops = kept;
    row.last_probe[hop.port] = hop.time;
  }

  unsigned tick_bits_;
  uint64_t lag_ticks_;
  std::vector<Row> rows_;
  bit<ROW_BITS> shown_;
};

}  // namespace p4
