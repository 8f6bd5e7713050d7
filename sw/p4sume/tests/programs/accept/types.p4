// SPDX-License-Identifier: Apache-2.0
// Every type, generic ones, typedef and type.
#include <core.p4>
header ipv4_t { bit<4> version; int<4> delta; bool flag; varbit<320> options; }
header_union ip_u { ipv4_t v4; }
enum color { red, green, }
enum int<8> signed_e { low = -128, high = 127 }
struct generic_s<T, U> { T first; tuple<U, T> second; }
typedef generic_s<bit<8>, bool> made_t;
typedef struct inner_t { bit<8> f; } alias_t;
typedef enum shade_t { dark } shade_alias;
type bit<9> port_t;
type port_t deep_port_t;
struct all { ipv4_t[4] stack; ip_u[2] unions; made_t made; color c; error e; signed_e s; bit<8> words[4]; bit b; }
extern forward;
extern forward { forward(); void later(); }
typedef list<tuple<bit<8>, bool>> list_t;
const list_t rows = (list_t){{1, true}, {2, false}};
extern rows_taker { rows_taker(list<bit<8>> rows); }
rows_taker((list<bit<8>>){1, 2, 3}) taker;
const made_t m = {first = 1, second = {true, 2}};
const alias_t d = {...};
const inner_t n = {f = 1, ...};
