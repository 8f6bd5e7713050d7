// SPDX-License-Identifier: Apache-2.0
// A name that begins nothing.
nothing here
