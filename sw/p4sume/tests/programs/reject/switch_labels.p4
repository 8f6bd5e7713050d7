// SPDX-License-Identifier: Apache-2.0
// Subjects and labels that do not fit.
enum color { red, green }
control c(in bit<8> x, in color k) {
    action a() { }
    action b() { }
    table t { actions = { a; } default_action = a; }
    apply {
        switch (x) { 1: { } 1: { } default: { } }
        switch (x) { default: { } 2: { } }
        switch (x) { default: { } default: { } }
        switch (x) { x: { } true: { } }
        switch (true) { }
        switch (t.apply().action_run) { a: { } b: { } 1: { } }
    }
}
