# SPDX-License-Identifier: Apache-2.0
"""What docs/hula.md says of flowlet_table, in Python; times are plain integers."""

PEEK, KEEP_OR_SET = range(2)
KEPT, MOVED, RENEWED, NEW, CROWDED, STUCK = range(6)
EMPTY = (None, None)  # of each way nothing, or tag, hop, time


def rule(p, row, a, now, timeout):
    greatest = 2 ** (p["TIME_BITS"] - 1) - 1

    def allowed(port):
        return port < p["PORTS"] and a["ok"] >> port & 1 == 1

    def live(entry):
        return entry is not None and now - entry[2] <= min(timeout, greatest)

    def otherwise():
        if allowed(a["spread"]):
            return a["spread"]
        return next((port for port in range(p["PORTS"]) if allowed(port)), 0)

    mine = [w for w, e in enumerate(row) if e is not None and e[0] == a["tag"] and now - e[2] <= greatest]
    assert len(mine) < 2, "one tag in both ways"
    room = [w for w, e in enumerate(row) if not live(e)]
    if mine and live(row[mine[0]]) and allowed(row[mine[0]][1]):
        outcome, way, hop = KEPT, mine[0], row[mine[0]][1]
    elif mine:
        outcome, way, hop = MOVED if live(row[mine[0]]) else RENEWED, mine[0], a["proposal"]
    elif room:
        outcome, way, hop = NEW, room[0], a["proposal"]
    else:
        outcome, way, hop = CROWDED, None, otherwise()
    if way is not None and not allowed(hop):
        outcome, way, hop = STUCK, None, otherwise()
    if way is not None and a["operation"] == KEEP_OR_SET:
        entry = (a["tag"], hop, now)
        row = (entry, row[1]) if way == 0 else (row[0], entry)
    return row, (hop, outcome, int(allowed(hop)))
