# SPDX-License-Identifier: Apache-2.0
"""The C++ model of a checked program, statement by statement as written: the judge of the hardware."""
