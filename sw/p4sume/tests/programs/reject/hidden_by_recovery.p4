// SPDX-License-Identifier: Apache-2.0
// Errors inside brackets and blocks are all found.
control c(inout bit<8> x) {
    apply {
        { x = 1 + ; }
        x = (1 + 2;
        x = 3;
    }
}
const bit<8> after = ;
bit<8> f( { }
const bit<8> last = 1 +;
