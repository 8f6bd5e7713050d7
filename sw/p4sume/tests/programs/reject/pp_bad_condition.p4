// SPDX-License-Identifier: Apache-2.0
// Conditions that cannot be evaluated.
#if 1 +
#endif
#if (1
#endif
#if
#endif
#if 1 / 0
#endif
#if 1 << 99999
#endif
#if 1 2
#endif
#if "a"
#endif
#if 1 ? 2
#endif
#if 0x
#endif
#if defined
#endif
#if defined(A
#endif
#ifdef
#endif
