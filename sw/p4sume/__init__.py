# SPDX-License-Identifier: Apache-2.0
"""p4sume: an open P4-16 compiler for the NetFPGA SUME. README.md in this folder is the way in."""
