# SPDX-License-Identifier: MIT
"""The program warpsieve-msa, as python3 -m warpsieve.msa."""
import sys

from . import main

sys.exit(main())
