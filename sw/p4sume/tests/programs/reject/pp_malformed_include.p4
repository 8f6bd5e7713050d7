// SPDX-License-Identifier: Apache-2.0
// An include without a file.
#include 12
