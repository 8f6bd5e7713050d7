# SPDX-License-Identifier: Apache-2.0
"""Tables of every kind of match against a list of entries that is searched from end to end.

Random additions, changes and deletions, with their statuses; after each round, random lookups near the entries.
The table's size is small, so that it is full at times; a range takes as many rows as the prefixes that it is made of.
"""

from math import prod

import pytest

from p4sume.model.library import KeyValue, ModelRefusedError
from p4sume.tests.model.support import model_of_text, program, rng

SIZE = 10
SIZE_WITH_RANGES = {"range_one": 500, "mixed": 45}
ROUNDS = 20
MOST_ROUNDS = 500
FULL, EXISTS, MISSING = 1, 2, 3

WIDTHS = {"e": 8, "v4": 32, "v6": 128, "t": 70, "r": 16}
TABLES = {
    "exact_one": [("e", "exact"), ("t", "exact")],
    "lpm_one": [("v4", "lpm")],
    "lpm_exact": [("e", "exact"), ("v6", "lpm")],
    "ternary_one": [("t", "ternary"), ("v4", "ternary")],
    "range_one": [("r", "range"), ("e", "exact"), ("t", "range")],
    "optional_one": [("e", "optional"), ("t", "optional")],
    "mixed": [("v4", "lpm"), ("t", "ternary"), ("r", "range"), ("e", "optional")],
}
# Where lookups surely meet several entries of one priority.
OVERLAPPING = ("ternary_one", "optional_one")
UNORDERED = ("exact_one", "lpm_one", "lpm_exact")


def size_of(name):
    return SIZE_WITH_RANGES.get(name, SIZE)


def source():
    fields = "bit<8> e; bit<32> v4; bit<128> v6; bit<2> gap; bit<70> t; bit<16> r;"
    results = " ".join(f"bit<16> {name};" for name in TABLES)
    body = ""
    for name, keys in TABLES.items():
        key = " ".join(f"hdr.keys.{field} : {match};" for field, match in keys)
        body += f"""
            action hit_{name}(bit<16> id) {{ hdr.results.{name} = id; }}
            table {name} {{ key = {{ {key} }} actions = {{ hit_{name}; NoAction; }} size = {size_of(name)}; }}"""
    return program(
        f"header keys_t {{ {fields} }}\nheader results_t {{ {results} }}\n"
        "struct headers_t { keys_t keys; results_t results; }",
        "b.extract(hdr.keys); transition accept;",
        body,
        "sume.dst_port = 1; hdr.results.setValid();" + "".join(f"{name}.apply();" for name in TABLES),
    )


@pytest.fixture(scope="module")
def model():
    return model_of_text("tables", source())


class Entry:
    def __init__(self, key, priority, number):
        self.key, self.priority, self.number = key, priority, number

    def identity(self):
        return (self.priority, *((k[0], *k[1:]) for k in self.key))


def random_key(random, keys, near):
    """Each part as (kind, …): what the model is told, and what the search below understands."""
    parts = []
    for field, match in keys:
        width = WIDTHS[field]
        ones = (1 << width) - 1
        value = near[field] if random.random() < 0.9 else random.getrandbits(width)
        match match:
            case "exact":
                parts.append(("value", value))
            case "lpm":
                length = random.choice([0, width, random.randrange(width + 1)])
                mask = ones >> (width - length) << (width - length)
                parts.append(("prefix", value & mask, mask, length))
            case "ternary":
                mask = random.choice([0, 0, ones, random.getrandbits(width) | random.getrandbits(width)])
                parts.append(("mask", value & mask, mask))
            case "range":
                low, high = random.choice([(value, value), (value, ones), (0, value), (0, ones)])
                parts.append(("range", low, high))
            case _:
                parts.append(("value", value) if random.random() < 0.5 else ("any",))
    return parts


def to_api(part):
    match part:
        case ("value", value):
            return KeyValue(value)
        case ("prefix", value, _, length):
            return KeyValue(value, prefix=length)
        case ("any",):
            return KeyValue(None)
    return KeyValue(part[1], part[2])


def matches(part, value):
    match part:
        case ("value", wanted):
            return value == wanted
        case ("prefix", wanted, mask, _) | ("mask", wanted, mask):
            return value & mask == wanted
        case ("range", low, high):
            return low <= value <= high
    return True


def rows_of(entry, name):
    ranges = [(p[1], p[2], WIDTHS[f]) for p, (f, _) in zip(entry.key, TABLES[name], strict=True) if p[0] == "range"]
    return prod(covering(low, high, 0, width) for low, high, width in ranges)


def covering(low, high, start, bits):
    """How many blocks of powers of two cover low..high, of those inside the block of so many bits at start."""
    end = start + (1 << bits) - 1
    if high < start or end < low:
        return 0
    if low <= start and end <= high:
        return 1
    return covering(low, high, start, bits - 1) + covering(low, high, start + (1 << bits - 1), bits - 1)


def search(name, entries, values):
    """The number of the entry that wins, the older one of equals, and whether there was an equal."""
    fitting = [e for e in entries if all(matches(p, values[f]) for p, (f, _) in zip(e.key, TABLES[name], strict=True))]
    if not fitting:
        return 0, False

    def rank(entry):
        length = sum(p[3] for p in entry.key if p[0] == "prefix")
        return -length if name in UNORDERED else entry.priority

    best = min(map(rank, fitting))
    winners = [e for e in fitting if rank(e) == best]
    return winners[0].number, len(winners) > 1


def status_of(change, *arguments):
    try:
        change(*arguments)
    except ModelRefusedError as refused:
        return refused.status
    return 0


@pytest.mark.parametrize("name", TABLES)
def test_table_agrees_with_a_search_of_all_entries(model, name):
    random = rng(f"table {name}")
    model.reset()
    entries, refusals, hits, ties = [], set(), 0, 0
    number = 0

    def all_seen():
        return hits and {0, EXISTS, FULL, MISSING} <= refusals and (ties or name not in OVERLAPPING)

    rounds = 0
    while rounds < ROUNDS or (rounds < MOST_ROUNDS and not all_seen()):
        rounds += 1
        near = [{f: random.getrandbits(w) for f, w in WIDTHS.items()} for _ in range(2)]
        for _ in range(12):
            number += 1
            key = random_key(random, TABLES[name], random.choice(near))
            priority = 0 if name in UNORDERED else random.randrange(4)
            entry = Entry(key, priority, number)
            known = next((e for e in entries if e.identity() == entry.identity()), None)
            if entries and random.random() < 0.35:
                known = random.choice(entries)
                entry = Entry(known.key, known.priority, number)
            api = [to_api(p) for p in entry.key]
            operation = random.choice(["add", "add", "add", "modify", "delete"])
            if operation == "add":
                taken = sum(rows_of(e, name) for e in (*entries, entry))
                wanted = EXISTS if known else FULL if taken > size_of(name) else 0
                found = status_of(model.add, name, api, f"hit_{name}", [number], entry.priority)
                if not wanted:
                    entries.append(entry)
            elif operation == "modify":
                wanted = 0 if known else MISSING
                found = status_of(model.modify, name, api, f"hit_{name}", [number], entry.priority)
                if known:
                    known.number = number
            else:
                wanted = 0 if known else MISSING
                found = status_of(model.delete, name, api, entry.priority)
                if known:
                    entries.remove(known)
            assert found == wanted
            refusals.add(wanted)
        assert sorted(r.arguments[0] for r in model.dump(name)) == sorted(e.number for e in entries)
        for _ in range(40):
            values = dict(random.choice(near))
            for field, width in WIDTHS.items():
                if random.random() < 0.1:
                    values[field] ^= 1 << random.randrange(width)
                elif random.random() < 0.05:
                    values[field] = random.getrandbits(width)
            packet = b"".join(values[f].to_bytes((WIDTHS[f] + 7) // 8, "big") for f in WIDTHS)
            sent = model.process(packet)
            offset = len(packet) + 2 * list(TABLES).index(name)
            found = int.from_bytes(sent.packet[offset : offset + 2], "big")
            wanted, tie = search(name, entries, values)
            assert found == wanted
            hits += found != 0
            ties += tie
    assert all_seen()


def test_wrong_keys_are_refused(model):
    model.reset()
    action = ("hit_ternary_one", [1])
    assert status_of(model.add, "ternary_one", [KeyValue(1)], *action) == 5
    assert status_of(model.add, "ternary_one", [KeyValue(1 << 70), KeyValue(1)], *action) == 5
    assert status_of(model.add, "lpm_one", [KeyValue(1, 0x00FF0000)], "hit_lpm_one", [1]) == 5
    assert status_of(model.add, "exact_one", [KeyValue(None), KeyValue(1)], "hit_exact_one", [1]) == 5
    assert status_of(model.add, "lpm_one", [KeyValue(1)], "hit_mixed", [1]) == 6
    assert status_of(model.add, "lpm_one", [KeyValue(1)], "hit_lpm_one", []) == 7
    assert status_of(model.add, "lpm_one", [KeyValue(1)], "hit_lpm_one", [1 << 16]) == 7
    assert model.dump("lpm_one") == []
