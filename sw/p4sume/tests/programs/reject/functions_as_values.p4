// SPDX-License-Identifier: Apache-2.0
// Methods and fields in the wrong place.
extern e { e(); bit<8> m(); }
struct s { bit<8> f; }
control c(inout s x)(e o) { apply { x.f(); x.f = o.m; } }
