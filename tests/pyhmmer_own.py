#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs pyhmmer's own tests of its searches over warpsieve's, and says which were pyhmmer's own:   pyhmmer_own.py [SDIST]

SDIST is the file pyhmmer-0.12.*.tar.gz or its folder; without it the tests that pyhmmer's wheel brings are taken. The last line is
the number of tests that passed, of all that were not skipped. It fails if one of these fails. Nothing is downloaded.
"""
import collections
import glob
import importlib
import importlib.util
import logging
import os
import sys
import tarfile
import tempfile
import unittest

import warpsieve


def tests_of(place, work):
    """Returns the folder with test_hmmer.py, or None."""
    if place and os.path.isfile(place):
        with tarfile.open(place) as packed:
            wanted = [m for m in packed if "/src/pyhmmer/tests/" in m.name and (m.isfile() or m.isdir()) and ".." not in m.name]
            packed.extractall(work, wanted)
        place = work
    if place:
        found = glob.glob(os.path.join(glob.escape(place), "**", "tests", "test_hmmer.py"), recursive=True)
        return os.path.dirname(found[0]) if found else None
    spec = importlib.util.find_spec("pyhmmer")
    folder = os.path.join(os.path.dirname(spec.origin), "tests")
    return folder if os.path.exists(os.path.join(folder, "test_hmmer.py")) else None


class Reasons(logging.Handler):
    """Counts why searches were pyhmmer's own."""

    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()

    def emit(self, record):
        self.counts[record.getMessage()] += 1


def main(place):
    if importlib.util.find_spec("pyhmmer") is None:
        print("skipped: python3 has no pyhmmer")
        return 0
    with tempfile.TemporaryDirectory() as work:
        folder = tests_of(place, work)
        if folder is None:
            print(f"skipped: {place or 'the installed pyhmmer'} has no tests/test_hmmer.py; give the path of pyhmmer's source distribution")
            return 0
        package = os.path.join(work, "theirs")  # their package, without the tests of other modules
        os.mkdir(package)
        for name in ("test_hmmer.py", "utils.py", "data"):
            os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(package, name))
        open(os.path.join(package, "__init__.py"), "w").close()
        sys.path.insert(0, work)
        reasons, logger = Reasons(), logging.getLogger("warpsieve.pyhmmer")
        logger.addHandler(reasons)
        logger.setLevel(logging.DEBUG)
        with warpsieve.patch():
            suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module("theirs.test_hmmer"))
            result = unittest.TextTestRunner(verbosity=0).run(suite)
    for reason, n in sorted(reasons.counts.items()):
        print(f"{n:4} times {reason}")
    run = result.testsRun - len(result.skipped)
    print(f"{run - len(result.failures) - len(result.errors)} of {run} tests of pyhmmer pass")
    return 0 if result.wasSuccessful() and run else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PYHMMER_SDIST")))
