# SPDX-License-Identifier: MIT
"""pyhmmer with warpsieve's searches: its names, its objects in and out.

    import warpsieve.pyhmmer as pyhmmer

easel, plan7, errors and daemon are pyhmmer's own. hmmsearch, hmmscan, phmmer, jackhmmer, nhmmer and hmmalign are warpsieve's. They
take pyhmmer's objects and return pyhmmer's objects, so everything else works with them as before. warpsieve.patch() puts them in
the place of pyhmmer's own for a program that imports pyhmmer itself.
"""
import sys

try:
    import pyhmmer as _pyhmmer
except ModuleNotFoundError as e:
    if e.name != "pyhmmer":
        raise
    raise ModuleNotFoundError("warpsieve.pyhmmer has pyhmmer's objects, and pyhmmer is not installed: pip install pyhmmer",
                              name="pyhmmer") from None
if _pyhmmer.__version__.split(".")[:2] not in (["0", "11"], ["0", "12"]):
    raise ImportError(f"this warpsieve takes the place of pyhmmer 0.11 and 0.12, and found pyhmmer {_pyhmmer.__version__}", name="pyhmmer")

from pyhmmer import daemon, easel, errors, plan7
from pyhmmer import __author__, __license__, __version__

for _name, _module in list(sys.modules.items()):  # import warpsieve.pyhmmer.easel is pyhmmer.easel
    if _name.startswith("pyhmmer.") and not _name.startswith("pyhmmer.hmmer"):
        sys.modules[__name__ + _name[len("pyhmmer"):]] = _module

from . import hmmer
from .hmmer import hmmalign, hmmpress, hmmscan, hmmsearch, jackhmmer, nhmmer, phmmer

__all__ = ["errors", "easel", "plan7", "daemon", "hmmer", "hmmalign", "hmmsearch", "hmmscan", "hmmpress", "phmmer", "nhmmer", "jackhmmer"]
