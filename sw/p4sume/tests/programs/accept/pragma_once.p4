// SPDX-License-Identifier: Apache-2.0
// A file that is read once.
#pragma once
#include "pragma_once.p4"
const bit<8> a = 1;
