// SPDX-License-Identifier: Apache-2.0
// Missing, twice, in the wrong order.
control c(in bit<8> x) {
    action a() { }
    table no_actions { key = { x : exact; } }
    table no_default { actions = { a; } }
    table twice { actions = { a; } actions = { a; } default_action = a; }
    table order { default_action = a; actions = { a; } }
    table alone { default_action = a; }
    table entries_first { actions = { a; } entries = { 1 : a; } key = { x : exact; } default_action = a; }
    table no_key { actions = { a; } entries = { 1 : a; } default_action = a; }
    table sizes { actions = { a; } default_action = a; size = true; }
    table negative { actions = { a; } default_action = a; size = -1; }
    table unknown_size { actions = { a; } default_action = a; size = x; }
    table wins { actions = { a; } default_action = a; largest_priority_wins = 1; }
    table delta { actions = { a; } default_action = a; priority_delta = 0; }
    apply { }
}
