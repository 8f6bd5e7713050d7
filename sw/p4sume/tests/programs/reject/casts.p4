// SPDX-License-Identifier: Apache-2.0
// Types that cannot be cast to each other.
header h { bit<8> f; }
struct s { bit<8> f; }
enum plain { a }
type bit<8> new_t;
const bool a = (bool)8w1;
const bit<8> b = (bit<8>)16s1;
const bit<8> c = (bit<8>)plain.a;
const string d = (string)8w1;
const bool e = (bool)2;
const new_t f = (new_t)16w1;
const list<bit<8>> g = (list<bit<8>>){true};
