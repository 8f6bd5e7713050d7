# SPDX-License-Identifier: Apache-2.0
"""From the checked program to SystemVerilog: flow graph, passes, schedule, emission."""
