# SPDX-License-Identifier: MIT
"""Runs a Python program whose searches by pyhmmer are warpsieve's, with its own arguments.

    python3 -m warpsieve.pyhmmer gecco run --genome genome.fa
    python3 -m warpsieve.pyhmmer -m pybarrnap genome.fa
    python3 -m warpsieve.pyhmmer script.py proteins.fa

The program is a command that pip has installed, a module behind -m, or a file.
"""
import importlib.metadata
import os
import runpy
import sys

from .. import patch


def command(name):
    """Returns the function of a command that a package has installed."""
    found = importlib.metadata.entry_points()
    scripts = found.select(group="console_scripts") if hasattr(found, "select") else found.get("console_scripts", ())
    entry = next((e for e in scripts if e.name == name), None)
    if entry is None:
        sys.exit(f"warpsieve.pyhmmer: {name} is no command of an installed package, and no file")
    return entry.load()


def main(words):
    if not words or words[0] in ("-h", "--help") or words == ["-m"]:
        print(__doc__.strip())
        return 0 if words[:1] in (["-h"], ["--help"]) else 2
    patch()
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif os.path.isfile(words[0]):
        sys.argv, sys.path[0] = words, os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")
    else:
        sys.argv = words
        return command(words[0])()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
