// SPDX-License-Identifier: Apache-2.0
// A file that is nowhere.
#include "no_such_file.p4"
