# SPDX-License-Identifier: Apache-2.0
"""From text to a syntax tree: source files, preprocessor, lexer, parser."""
