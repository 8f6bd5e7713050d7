// SPDX-License-Identifier: Apache-2.0
// A condition that is false.
#include <core.p4>
const bool a = static_assert(1 == 2, "one is two");
const bool b = static_assert(false);
