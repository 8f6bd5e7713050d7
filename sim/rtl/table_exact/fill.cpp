// SPDX-License-Identifier: Apache-2.0
// How often does table_exact refuse a key before it is full? Fills a table of its rules again and again with keys of
// several kinds, each time with another hash seed, and prints failures and the longest search.
//
//   g++ -std=c++20 -O2 -Wall -Wextra -Werror fill.cpp -o fill && ./fill KEY_BITS WAYS PLACE_BITS ENTRIES FILLS [ROUNDS]
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

namespace {

constexpr int kWords = 8;   // of a key, 64 bits each
constexpr int kNodes = 64;  // rows that a search looks at

using Key = std::array<std::uint64_t, kWords>;

std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

std::uint32_t rotated(std::uint32_t x, int by) { return x << by | x >> (32 - by); }

struct Shape {
  int key_bits, ways, place_bits, rounds;
};

class Hash {
 public:
  Hash(Shape shape, std::uint32_t seed) : shape_(shape), seed_(seed) {
    for (int i = 0; i < shape.key_bits; ++i) {
      std::uint32_t drawn = scrambled(seed ^ static_cast<std::uint32_t>(i) * 0x9e3779b1u);
      std::uint64_t column = 0;
      for (int octet = 0; octet < 8; ++octet) {
        unsigned digit = octet < 3 ? i >> 3 * octet & 7 : drawn >> 3 * (octet - 3) & 7;
        column |= std::uint64_t{1} << (8 * octet + digit);
      }
      columns_.push_back(column);
    }
  }

  std::vector<std::uint32_t> places(const Key& key) const {
    std::uint64_t state = 0;
    for (int i = 0; i < shape_.key_bits; ++i) {
      if (key[i / 64] >> i % 64 & 1) state ^= columns_[i];
    }
    std::uint32_t left = state >> 32, right = static_cast<std::uint32_t>(state);
    for (int i = 0; i < shape_.rounds; ++i) {
      std::uint32_t next = right ^ (rotated(left, 1) & rotated(left, 8)) ^ rotated(left, 2);
      next ^= scrambled(seed_ + 0x01000193u * (i + 1));
      right = left;
      left = next;
    }
    state = std::uint64_t{left} << 32 | right;
    auto bit = [state](int number) -> std::uint32_t { return state >> number % 64 & 1; };
    std::vector<std::uint32_t> found;
    for (int way = 0; way < shape_.ways; ++way) {
      std::uint32_t place = 0;
      for (int b = 0; b < shape_.place_bits; ++b) {
        int n = way * shape_.place_bits + b;
        std::uint32_t one = n < 64 ? bit(n) : bit(n) ^ bit(n + 19) ^ (bit(n + 37) & bit(n + 50));
        place |= one << b;
      }
      found.push_back(static_cast<std::uint32_t>(way) << shape_.place_bits | place);
    }
    return found;
  }

 private:
  Shape shape_;
  std::uint32_t seed_;
  std::vector<std::uint64_t> columns_;
};

// Rows hold the number of a key, or none.
class Table {
 public:
  Table(Shape shape, const Hash& hash, const std::vector<Key>& keys)
      : hash_(hash),
        keys_(keys),
        rows_(std::size_t(shape.ways) << shape.place_bits, -1),
        way_shift_(shape.place_bits) {}

  // False if no path was found; counts the rows that were looked at.
  bool insert(int number) {
    struct Node {
      std::uint32_t row;
      int parent;
    };
    std::vector<Node> nodes;
    auto roots = hash_.places(keys_[number]);
    for (auto row : roots) {
      if (rows_[row] < 0) {
        rows_[row] = number;
        return true;
      }
    }
    for (auto row : roots) nodes.push_back({row, -1});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      longest = std::max(longest, i + 1);
      auto others = hash_.places(keys_[rows_[nodes[i].row]]);
      auto free = std::find_if(others.begin(), others.end(), [this](auto row) { return rows_[row] < 0; });
      if (free != others.end()) {
        auto to = *free;
        for (int n = static_cast<int>(i); n >= 0; n = nodes[n].parent) {
          rows_[to] = rows_[nodes[n].row];
          to = nodes[n].row;
        }
        rows_[to] = number;
        return true;
      }
      for (auto row : others) {
        bool same_way = row >> way_shift_ == nodes[i].row >> way_shift_;
        if (!same_way && nodes.size() < kNodes) nodes.push_back({row, static_cast<int>(i)});
      }
    }
    return false;
  }

  std::size_t longest = 0;

 private:
  const Hash& hash_;
  const std::vector<Key>& keys_;
  std::vector<int> rows_;
  int way_shift_;
};

void put(Key& key, int key_bits, int at, int width, std::uint64_t value) {
  for (int b = 0; b < std::min(width, 64); ++b) {
    int place = (at + b) % key_bits;
    key[place / 64] ^= (value >> b & 1) << place % 64;
  }
}

constexpr std::array kKinds{"random",  "sequential", "pairs of addresses", "one prefix",
                            "strides", "Gray code",  "two fields",         "high bits"};

// Different keys of a kind, as many as are asked for; fewer if the kind has no more.
std::vector<Key> keys_of(std::size_t kind, int key_bits, int count, int fill, std::mt19937_64& random) {
  std::set<Key> seen;
  std::vector<Key> keys;
  std::uint64_t base = random();
  int side = 1;
  while (side * side < count) side *= 2;
  int shift = fill % std::max(1, key_bits - 20);
  for (long i = 0; static_cast<int>(keys.size()) < count && i < 20L * count; ++i) {
    Key key{};
    auto field = [&](int at, int width, std::uint64_t value) { put(key, key_bits, at, width, value); };
    int third = key_bits / 3;
    switch (kind) {
      case 0:
        for (int at = 0; at < key_bits; at += 64) field(at, std::min(64, key_bits - at), random());
        break;
      case 1:
        field(0, std::min(40, key_bits), base + i);
        break;
      case 2:
        field(0, key_bits / 2, (base & ~std::uint64_t{255}) + i % side);
        field(key_bits / 2, key_bits / 2, (base >> 20) + i / side);
        break;
      case 3:
        field(0, key_bits, base);
        field(shift, 20, random());
        break;
      case 4:
        field(0, key_bits, static_cast<std::uint64_t>(i) << fill % 8);
        break;
      case 5:
        field(shift, 20, i ^ i >> 1);
        break;
      case 6:
        field(0, 16, 0x1234);
        field(third, std::min(8, third), i & 255);
        field(2 * third, third, i >> 8);
        break;
      default:
        field(std::max(0, key_bits - 18), 18, i);
    }
    if (seen.insert(key).second) keys.push_back(key);
  }
  return keys;
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) {
    std::fprintf(stderr, "usage: fill KEY_BITS WAYS PLACE_BITS ENTRIES FILLS [ROUNDS]\n");
    return 2;
  }
  auto number = [&](int i) { return std::atoi(words[i]); };
  Shape shape{number(1), number(2), number(3), count > 6 ? number(6) : 6};
  int entries = number(4), fills = number(5);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    int failed = 0, done = 0;
    std::size_t longest = 0;
    for (int fill = 0; fill < fills; ++fill) {
      std::mt19937_64 random(fill * 977 + kind);
      auto seed = static_cast<std::uint32_t>(random());
      auto keys = keys_of(kind, shape.key_bits, entries, fill, random);
      if (static_cast<int>(keys.size()) < entries) continue;
      ++done;
      Hash hash(shape, seed);
      Table table(shape, hash, keys);
      for (int i = 0; i < entries; ++i) {
        if (!table.insert(i)) {
          ++failed;
          break;
        }
      }
      longest = std::max(longest, table.longest);
    }
    std::printf("%-20s %d of %d fills failed, longest search %zu rows\n", kKinds[kind], failed, done, longest);
  }
}
