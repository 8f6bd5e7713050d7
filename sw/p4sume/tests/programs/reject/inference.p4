// SPDX-License-Identifier: Apache-2.0
// Type arguments that do not follow.
extern T make<T>();
extern void any<T>(in T a);
extern T same<T>(in T a, in T b);
extern void two<T, U>(in T a);
extern void out_any<T>(out T a);
control c(inout bit<8> x) {
    apply {
        make();
        any(5);
        x = same(x, true);
        two(x);
        two<bit<8>>(x);
        out_any(_);
        x = same(1, 2);
    }
}
