// SPDX-License-Identifier: Apache-2.0
// flowlet_table(in operation, in index, in tag, in now, in ok, in proposal, in spread, out hop, out outcome, out
// found): the hop of a flow for as long as it does not pause (docs/hula.md).
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "extern.hpp"
#include "ticks.hpp"

namespace p4 {

enum class FlowletOperation : uint8_t { PEEK = 0, KEEP_OR_SET = 1 };

enum class FlowletOutcome : uint8_t { KEPT = 0, MOVED = 1, RENEWED = 2, NEW = 3, CROWDED = 4, STUCK = 5 };

// A tick is 2^tick_bits cycles; `now` is the low bits of their number.
template <unsigned OPERATION, unsigned INDEX, unsigned TAG, unsigned TIME, unsigned OK, unsigned PROPOSAL,
          unsigned SPREAD, unsigned HOP, unsigned OUTCOME, unsigned FOUND>
class extern_flowlet_table : public Extern {
  static_assert(OPERATION == 1 && OUTCOME == 3 && FOUND == 1, "operation and found have 1 bit, outcome 3");
  static_assert(PROPOSAL == SPREAD && PROPOSAL == HOP, "proposal, spread and hop are of one width");
  static_assert(HOP < 32 && OK <= uint64_t{1} << HOP, "a hop has bits enough for every port");
  static_assert(INDEX < 64 && TAG <= 64 && TIME >= 3 && TIME < 64 && OK <= 64, "one word each");

 public:
  uint64_t timeout_ticks = 0;  // above greatest_timeout(TIME) it counts as that

  explicit extern_flowlet_table(unsigned tick_bits = 8) : tick_bits_(tick_bits) {}

  const char* kind() const override { return "flowlet_table"; }
  void reset() override { sets_.clear(); }
  bool configure(const std::string& setting, unsigned /*index*/, uint64_t value, uint64_t /*cycle*/) override {
    timeout_ticks = value;
    return setting == "timeout_ticks";
  }

  // A register is a row as the control port shows it: way 0 in the low bits, of each way valid, tag, hop, time.
  uint64_t registers() const override { return uint64_t{1} << INDEX; }
  unsigned register_width() const override { return Row::WIDTH; }
  const uint64_t* read(uint64_t index) override {
    if (index >= registers()) return nullptr;
    shown_ = Row();
    const auto found = sets_.find(index);
    if (found == sets_.end()) return shown_.limb.data();
    for (size_t way = WAYS; way-- > 0;) {
      const Entry& entry = found->second[way];
      shown_ = shown_.shift_left(uint64_t{ENTRY_BITS});
      if (!entry.valid) continue;
      const auto low = concat(bit<PORT>(entry.hop), bit<TIME>(entry.time));
      shown_ = shown_ | concat(concat(bit<1>(1), bit<TAG>(entry.tag)), low).template resize<Row::WIDTH>();
    }
    return shown_.limb.data();
  }

  void call(const Context& context, const bit<OPERATION>& operation, const bit<INDEX>& index, const bit<TAG>& tag,
            const bit<TIME>& now, const bit<OK>& ok, const bit<PROPOSAL>& proposal, const bit<SPREAD>& spread,
            bit<HOP>& hop, bit<OUTCOME>& outcome, bit<FOUND>& found) {
    const uint64_t tick = unwrapped_tick(time(context), tick_bits_, now.low(), TIME);
    const uint64_t timeout = std::min(timeout_ticks, greatest_timeout(TIME));
    const auto kept = sets_.find(index.low());
    Set set = kept == sets_.end() ? Set() : kept->second;

    const auto live = [&](const Entry& entry) { return entry.valid && tick - entry.time <= timeout; };
    // What is older than any time-out can be has been forgotten.
    const auto there = [&](const Entry& entry) {
      return entry.valid && tick - entry.time <= greatest_timeout(TIME) && entry.tag == tag.low();
    };

    Entry* const own = std::find_if(set.begin(), set.end(), there);
    Entry* const room = std::find_if_not(set.begin(), set.end(), live);
    Entry* stored = own != set.end() ? own : room;
    FlowletOutcome what;
    uint64_t taken = proposal.low();
    if (own != set.end() && live(*own)) {
      what = ok.get(own->hop) ? FlowletOutcome::KEPT : FlowletOutcome::MOVED;
      if (what == FlowletOutcome::KEPT) taken = own->hop;
    } else {
      what = own != set.end()    ? FlowletOutcome::RENEWED
             : room != set.end() ? FlowletOutcome::NEW
                                 : FlowletOutcome::CROWDED;
    }
    if (what != FlowletOutcome::CROWDED && !allows(ok, taken)) what = FlowletOutcome::STUCK;
    if (what == FlowletOutcome::CROWDED || what == FlowletOutcome::STUCK) {
      taken = fallback(ok, spread.low());
    } else if (static_cast<FlowletOperation>(operation.low()) == FlowletOperation::KEEP_OR_SET) {
      *stored = {true, tag.low(), static_cast<unsigned>(taken), tick};
      sets_[index.low()] = set;
    }

    hop = bit<HOP>(taken);
    outcome = bit<OUTCOME>(static_cast<uint64_t>(what));
    found = bit<FOUND>(allows(ok, taken) ? 1 : 0);
  }

 private:
  static constexpr unsigned bits_for(unsigned count) {
    unsigned bits = 1;
    while ((uint64_t{1} << bits) < count) ++bits;
    return bits;
  }
  static constexpr unsigned WAYS = 2;
  static constexpr unsigned PORT = bits_for(OK);
  static constexpr unsigned ENTRY_BITS = 1 + TAG + PORT + TIME;

  struct Entry {
    bool valid = false;
    uint64_t tag = 0;
    unsigned hop = 0;
    uint64_t time = 0;  // in ticks, never wrapping
  };
  using Set = std::array<Entry, WAYS>;
  using Row = bit<WAYS * ENTRY_BITS>;

  static bool allows(const bit<OK>& ok, uint64_t port) { return port < OK && ok.get(static_cast<unsigned>(port)); }

  // The spread, else the lowest port in ok, else 0.
  static uint64_t fallback(const bit<OK>& ok, uint64_t spread) {
    if (allows(ok, spread)) return spread;
    for (unsigned port = 0; port < OK; ++port)
      if (ok.get(port)) return port;
    return 0;
  }

  unsigned tick_bits_;
  std::map<uint64_t, Set> sets_;
  Row shown_;
};

}  // namespace p4
