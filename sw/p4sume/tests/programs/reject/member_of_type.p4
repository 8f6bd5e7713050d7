// SPDX-License-Identifier: Apache-2.0
// Types without members.
typedef bit<8> bit_t;
control k() { apply { } }
control c() {
    apply {
        bit<8> y = bit_t.more;
        bit_t.apply();
        k.reset();
    }
}
