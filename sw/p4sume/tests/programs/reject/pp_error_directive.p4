// SPDX-License-Identifier: Apache-2.0
// #error is reached.
#define WIDTH 99
#if WIDTH > 64
#error WIDTH is too large
#endif
