# SPDX-License-Identifier: Apache-2.0
"""From a syntax tree to a checked program: names, types, constants, the rules of the language."""
