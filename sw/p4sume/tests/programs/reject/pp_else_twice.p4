// SPDX-License-Identifier: Apache-2.0
// Two #else.
#if 1
#else
#else
#endif
