// SPDX-License-Identifier: Apache-2.0
// Of types that have none.
extern e { e(); }
control k() { apply { } }
control c() {
    e v1;
    k v2;
    apply { string v3; int v4; e[2] v5; }
}
