// SPDX-License-Identifier: Apache-2.0
// #endif alone.
#endif
