# SPDX-License-Identifier: Apache-2.0
"""Packet cases: STF files, the targets they run on, and captures through a program."""
