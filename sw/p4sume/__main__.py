# SPDX-License-Identifier: Apache-2.0
"""`python -m p4sume` is `p4sume`."""

import sys

from p4sume.cli import main

if __name__ == "__main__":
    sys.exit(main())
