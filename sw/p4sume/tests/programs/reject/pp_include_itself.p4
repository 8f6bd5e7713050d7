// SPDX-License-Identifier: Apache-2.0
// A file that includes itself.
#include "pp_include_itself.p4"
