// SPDX-License-Identifier: Apache-2.0
// Switches, links and hosts, and the one loop in which their time goes on. docs/fabric.md says what it means.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device.hpp"
#include "flow.hpp"
#include "frames.hpp"
#include "lane.hpp"
#include "units.hpp"

namespace fabric {

enum class Passing : uint8_t { BEGAN, CAME, LOST };

struct Passed {
  int64_t ps;
  Serial serial;
  uint32_t link;
  uint8_t direction;
  Passing what;
};

struct End {
  bool is_host = false;
  unsigned node = 0;
  unsigned port = 0;  // of a switch
};

inline constexpr unsigned DIRECTIONS = 2;  // from the link's first end, from its second
enum class Change { CUT, REPAIR, LOAD };

struct Event {
  Time at;
  Change change = Change::CUT;
  unsigned subject = 0;                          // a link; LOAD: a flow
  unsigned directions = (1U << DIRECTIONS) - 1;  // a bit for each
  bool silent = false;                           // nobody is told
  Rate rate;                                     // LOAD
};

// What a switch made of data frames.
struct Passage {
  uint64_t came = 0, left = 0;
  uint64_t within = 0;               // came more often than they left: they are inside, or lost
  uint64_t copies = 0;               // left more often than they came
  uint64_t doubled = 0;              // of those, by the same port
  uint64_t strange = 0;              // left and never came
  uint64_t at_cpu = 0, nowhere = 0;  // of those that left: to the CPU; by a wire without a link
  uint64_t others = 0;               // frames that came and are no data
};

class Fabric {
 public:
  static constexpr unsigned LONGEST_BEATS = 52;  // of a frame; a switch takes fewer
  static constexpr Cycle TURN_SLACK = 3;         // a frame's last beat comes as much later than delay and last beat say
  static constexpr Cycle STILL_CYCLES = 4000;    // a switch that gives nothing for so long has nothing

  Fabric(uint64_t seed, bool tracing) : seed_(seed), tracing_(tracing) {}

  // ---- what there is

  unsigned add_switch(const std::string& library, uint64_t seed) {
    nodes_.push_back(std::make_unique<Node>(library, seed));
    return static_cast<unsigned>(nodes_.size() - 1);
  }
  unsigned add_host() {
    hosts_.emplace_back();
    way_of_host_.push_back(NO_WAY);
    return static_cast<unsigned>(hosts_.size() - 1);
  }
  unsigned add_link(End first, End second, Rate rate, Time delay) {
    const Cycle turn = static_cast<Cycle>(delay.ps / CYCLE_PICOSECONDS) + TURN_SLACK;
    if (turn <= LONGEST_BEATS) throw std::invalid_argument("a link's delay is too short");
    turn_ = std::min(turn_, turn - LONGEST_BEATS);
    const auto link = static_cast<unsigned>(links_.size());
    links_.push_back(std::make_unique<Link>(Link{{first, second}, {Lane(rate, delay), Lane(rate, delay)}}));
    slowest_ = std::min(slowest_, rate.mbps);
    for (unsigned direction = 0; direction < DIRECTIONS; ++direction) {
      const End& from = links_[link]->ends[direction];
      const Way way{link, direction};
      if (from.is_host) {
        way_of_host_.at(from.node) = way;
      } else {
        Node& node = *nodes_.at(from.node);
        node.ways.at(from.port) = way;
        node.device.set_rate(from.port, rate.mbps);
      }
    }
    return link;
  }
  unsigned add_flow(const Flow::Plan& plan) {
    flows_.emplace_back(plan, mixed(seed_, flows_.size()));
    return static_cast<unsigned>(flows_.size() - 1);
  }
  void add_frame(unsigned flow, Bytes made) { flows_.at(flow).add(std::move(made)); }
  void add_event(const Event& event) { events_.emplace(event.at, event); }

  unsigned ports(unsigned node) const { return nodes_.at(node)->device.ports(); }
  switch_handle* handle(unsigned node) const { return nodes_.at(node)->device.handle(); }

  // ---- time

  Cycle now() const { return now_; }
  bool begun() const { return begun_; }
  // Sources that are not `sending` are silent until the next run.
  void run(Cycle cycles, bool sending) {
    begin();
    sending_ = sending;
    advance(now_ + cycles);
  }
  // Nothing is on a link or waits at a host, and no switch has taken or given anything for long.
  bool still() const {
    for (const auto& host : hosts_)
      if (!host.waiting.empty()) return false;
    for (const auto& link : links_)
      for (const auto& lane : link->lanes)
        if (!lane.flying.empty()) return false;
    const Time longest = time_on_wire(LONGEST_BEATS * BEAT_BYTES, Rate{slowest_});
    return now_ >= moved_ + STILL_CYCLES + 2 * cycle_from(longest);
  }
  // A switch's registers. Once time has begun it goes on for all, as long as the access takes.
  int read(unsigned node, uint32_t address, uint32_t* value) {
    return access(node, [&](Device& device) { return device.read(address, value); });
  }
  int write(unsigned node, uint32_t address, uint32_t value) {
    return access(node, [&](Device& device) { return device.write(address, value); });
  }

  void change(const Event& event) {
    if (event.change == Change::LOAD) {
      flows_.at(event.subject).set_rate(event.rate, begin_of(now_));
      schedule(event.subject);
      return;
    }
    const bool up = event.change == Change::REPAIR;
    Link& link = *links_.at(event.subject);
    for (unsigned direction = 0; direction < DIRECTIONS; ++direction) {
      if ((event.directions >> direction & 1) == 0) continue;
      Lane& lane = link.lanes[direction];
      lane.set_up(up, begin_of(now_));
      const End& to = link.ends[1 - direction];
      if (!up && !lane.flying.empty() && lane.flying.front().handed) nodes_[to.node]->device.spoil(to.port);
      while (!up && !lane.flying.empty()) note(begin_of(now_), {event.subject, direction}, lane.lose(), Passing::LOST);
    }
    const bool both_up = link.lanes[0].up() && link.lanes[1].up();
    if (up ? !both_up : event.silent) return;
    for (const End& end : link.ends)
      if (!end.is_host) nodes_[end.node]->device.set_link(end.port, up);
  }

  // ---- what was

  const Lane& lane(unsigned link, unsigned direction) const { return links_.at(link)->lanes.at(direction); }
  Lane& lane(unsigned link, unsigned direction) { return links_.at(link)->lanes.at(direction); }
  const Host& host(unsigned host) const { return hosts_.at(host); }
  const Passage& passage(unsigned node) const { return nodes_.at(node)->passage; }
  const std::vector<Passed>& trace() const { return trace_; }
  Serial issued() const { return flow_of_.size(); }
  const std::vector<uint32_t>& flow_of() const { return flow_of_; }  // of each serial
  std::deque<Departure>& at_cpu(unsigned node) { return nodes_.at(node)->at_cpu; }
  // The serials that came to a switch and have not left it, each with the port by which it came last.
  std::vector<std::pair<Serial, unsigned>> within(unsigned node) const {
    std::vector<std::pair<Serial, unsigned>> found;
    for (const auto& [serial, visit] : nodes_.at(node)->visits)
      if (visit.came > visit.left) found.emplace_back(serial, visit.port);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  struct Way {
    unsigned link, direction;
  };
  static constexpr Way NO_WAY{~0U, 0};

  struct Link {
    std::array<End, DIRECTIONS> ends;
    std::array<Lane, DIRECTIONS> lanes;
  };
  struct Visit {
    uint16_t came = 0, left = 0;
    uint32_t port = 0;
    uint64_t by = 0;  // ports by which it left; the CPU's bit is behind those of the wires
  };
  struct Node {
    Node(const std::string& library, uint64_t seed) : device(library, seed), ways(device.ports(), NO_WAY) {}
    Device device;
    std::vector<Way> ways;
    Cycle base = 0;  // its cycle when time began
    Passage passage;
    std::unordered_map<Serial, Visit> visits;
    std::deque<Departure> at_cpu;
  };
  using Due = std::pair<Time, unsigned>;  // of a flow

  static uint64_t mixed(uint64_t seed, uint64_t number) {  // splitmix64
    uint64_t mix = seed * 0x9e3779b97f4a7c15 + (number + 1) * 0xbf58476d1ce4e5b9;
    mix = (mix ^ mix >> 30) * 0xbf58476d1ce4e5b9;
    mix = (mix ^ mix >> 27) * 0x94d049bb133111eb;
    return mix ^ mix >> 31;
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    Cycle last = 0;
    for (auto& node : nodes_) last = std::max(last, node->device.cycle());
    for (auto& node : nodes_) {
      node->device.run(last - node->device.cycle());
      node->base = last;
    }
    for (unsigned flow = 0; flow < flows_.size(); ++flow) schedule(flow);
  }

  // Until `end`, turn by turn. Within a turn no switch can get what another one gives in it.
  void advance(Cycle end) {
    while (now_ < end) {
      const Cycle to = std::min(end, horizon());
      prepare(to);
      for (auto& node : nodes_) {
        const Cycle at = node->device.cycle() - node->base;
        if (at < to) node->device.run(to - at);
      }
      settle(to);
      collect();
      now_ = to;
    }
  }
  // Does what is due; the end of the next turn.
  Cycle horizon() {
    while (!events_.empty() && cycle_from(events_.begin()->first) <= now_)
      change(events_.extract(events_.begin()).mapped());
    const Cycle to = now_ + turn_;
    return events_.empty() ? to : std::min(to, cycle_from(events_.begin()->first));
  }
  void prepare(Cycle to) {
    emit(to);
    for (auto& link : links_)
      for (unsigned direction = 0; direction < DIRECTIONS; ++direction) hand_over(*link, direction, to);
  }

  template <class Action>
  int access(unsigned number, Action action) {
    Node& node = *nodes_.at(number);
    if (begun_) prepare(horizon());
    const int response = action(node.device);
    node.device.check();
    if (begun_) advance(std::max(now_, node.device.cycle() - node.base));
    return response;
  }

  // ---- hosts

  void schedule(unsigned flow) {
    const Time next = flows_[flow].next();
    if (begun_ && next != NO_TIME) due_.push({next, flow});
  }
  void emit(Cycle to) {
    const Time end = begin_of(to);
    while (!due_.empty() && due_.top().first < end) {
      const auto [at, number] = due_.top();
      due_.pop();
      Flow& flow = flows_[number];
      if (flow.next() != at) continue;  // its rate has changed meanwhile
      const size_t which = flow.pass();
      if (sending_) {
        hosts_[flow.plan().from].waiting.push_back({flow_of_.size(), at, number, which});
        flow_of_.push_back(number);
      }
      schedule(number);
    }
    for (unsigned number = 0; number < hosts_.size(); ++number) {
      Host& host = hosts_[number];
      while (!host.waiting.empty()) {
        const Host::Waiting& first = host.waiting.front();
        const Time begin = std::max(first.ready, host.free);
        if (begin >= end) break;
        const Way way = way_of_host_.at(number);
        const Flow& flow = flows_[first.flow];
        const Rate rate = links_[way.link]->lanes[way.direction].rate();
        host.free = begin + time_on_wire(flow.length(first.which), rate);
        ++host.sent;
        enter(way, flow.frame(first.which, first.serial), begin, host.free);
        host.waiting.pop_front();
      }
    }
  }

  // ---- links

  void enter(Way way, Bytes data, Time begun, Time last) {
    if (data.size() > LONGEST_BEATS * BEAT_BYTES) throw std::runtime_error("a frame is longer than a link carries");
    Lane& lane = links_[way.link]->lanes[way.direction];
    const Seen seen = see(data.data(), data.size(), issued());
    note(begun, way, seen, Passing::BEGAN);
    if (!lane.enter(std::move(data), seen, begun, last)) note(begun, way, seen, Passing::LOST);
  }
  // Gives a switch what comes to it before `to`.
  void hand_over(Link& link, unsigned direction, Cycle to) {
    const End& end = link.ends[1 - direction];
    if (end.is_host) return;
    Node& node = *nodes_[end.node];
    for (auto& flight : link.lanes[direction].flying) {
      if (flight.first_beat >= to) break;
      if (flight.handed) continue;
      flight.handed = true;
      node.device.send(end.port, flight.data, node.base + flight.first_beat);
    }
  }
  // What is there by now.
  void settle(Cycle to) {
    for (unsigned number = 0; number < links_.size(); ++number) {
      for (unsigned direction = 0; direction < DIRECTIONS; ++direction) {
        Lane& lane = links_[number]->lanes[direction];
        const End& end = links_[number]->ends[1 - direction];
        while (!lane.flying.empty() && lane.flying.front().last_beat < to) {
          const Flight flight = lane.arrive();
          note(flight.due, {number, direction}, flight, Passing::CAME);
          if (end.is_host)
            reach(hosts_[end.node], flight);
          else
            come(*nodes_[end.node], end.port, flight);
        }
      }
    }
  }
  static void reach(Host& host, const Flight& flight) {
    if (flight.seen.kind == Kind::DATA)
      host.arrived.push_back({flight.seen.serial, flight.due, static_cast<uint32_t>(flight.data.size())});
  }
  void come(Node& node, unsigned port, const Flight& flight) {
    moved_ = std::max(moved_, flight.last_beat);
    if (flight.seen.kind != Kind::DATA) {
      ++node.passage.others;
      return;
    }
    Visit& visit = node.visits[flight.seen.serial];
    ++node.passage.came;
    visit.port = port;
    if (++visit.came > visit.left)
      ++node.passage.within;
    else
      --node.passage.copies;
  }
  void note(Time at, Way way, Seen seen, Passing what) {
    if (tracing_ && seen.kind == Kind::DATA)
      trace_.push_back({at.ps, seen.serial, way.link, static_cast<uint8_t>(way.direction), what});
  }
  void note(Time at, Way way, const Flight& flight, Passing what) { note(at, way, flight.seen, what); }

  // ---- switches

  void collect() {
    switch_departure departure;
    for (auto& pointer : nodes_) {
      Node& node = *pointer;
      const unsigned ports = static_cast<unsigned>(node.ways.size());
      node.device.forget_decisions();
      for (unsigned port = 0; port < ports; ++port) {
        while (node.device.receive(port, departure))
          for (unsigned times = times_of(node.ways[port]); times > 0; --times) give(node, port, departure);
      }
      while (node.device.receive(SWITCH_CPU, departure)) {
        if (leave(node, ports, departure).kind == Kind::DATA) ++node.passage.at_cpu;
        node.at_cpu.push_back({Bytes(departure.data, departure.data + departure.length), departure.first,
                               departure.last, departure.from_ports, departure.to_ports});
      }
      node.device.check();
    }
  }
  void give(Node& node, unsigned port, const switch_departure& departure) {
    const Seen seen = leave(node, port, departure);
    const Way way = node.ways[port];
    if (way.link == NO_WAY.link) {
      node.passage.nowhere += seen.kind == Kind::DATA ? 1 : 0;
      return;
    }
    enter(way, Bytes(departure.data, departure.data + departure.length), begin_of(departure.first - node.base),
          begin_of(departure.last + 1 - node.base));
  }
  // How often a frame leaves: once, if no fault is asked for.
  unsigned times_of(Way way) {
    if (way.link == NO_WAY.link) return 1;
    Lane& lane = links_[way.link]->lanes[way.direction];
    if (lane.fault != Fault::SWALLOW && lane.fault != Fault::AGAIN) return 1;
    return std::exchange(lane.fault, Fault::NONE) == Fault::AGAIN ? 2 : 0;
  }
  Seen leave(Node& node, unsigned port, const switch_departure& departure) {
    moved_ = std::max(moved_, departure.last - node.base);
    const Seen seen = see(departure.data, departure.length, issued());
    if (seen.kind != Kind::DATA) return seen;
    Visit& visit = node.visits[seen.serial];
    const uint64_t bit = uint64_t{1} << port;
    ++node.passage.left;
    if (visit.came == 0) ++node.passage.strange;
    if (visit.came == 1 && (visit.by & bit) != 0) ++node.passage.doubled;
    visit.by |= bit;
    if (visit.left++ < visit.came)
      --node.passage.within;
    else
      ++node.passage.copies;
    return seen;
  }

  const uint64_t seed_;
  const bool tracing_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Host> hosts_;
  std::vector<Way> way_of_host_;
  std::vector<std::unique_ptr<Link>> links_;
  std::deque<Flow> flows_;
  std::vector<uint32_t> flow_of_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::multimap<Time, Event> events_;  // of one time in the order in which they were added
  std::vector<Passed> trace_;
  Cycle now_ = 0, moved_ = 0;
  Cycle turn_ = 1000;
  int64_t slowest_ = FULL_RATE_MBPS;
  bool begun_ = false, sending_ = true;
};

}  // namespace fabric
