// SPDX-License-Identifier: Apache-2.0
// No way leads to accept.
parser p() {
    state start { transition next_state; }
    state next_state { transition start; }
}
