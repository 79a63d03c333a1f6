#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a wrapper for Snakemake without Snakemake, by the part of its interface that the wrappers use:

    wrappers.py WRAPPER threads=2 log=FILE input.NAME=FILE[,FILE] output.NAME=FILE params.NAME=TEXT ...
"""
import os
import runpy
import shlex
import string
import subprocess
import sys
import types


class Files(list):
    """A list of files as a command line shows it."""

    def __format__(self, how):
        return " ".join(shlex.quote(f) if how == "q" else f for f in self)


class Text(str):
    def __format__(self, how):
        return shlex.quote(str(self)) if how == "q" else str(self)


class Names(dict):
    __getattr__ = dict.__getitem__


def shell(command):
    frame = sys._getframe(1)
    names = {n: Text(v) if isinstance(v, str) else v for n, v in {**frame.f_globals, **frame.f_locals}.items()}
    subprocess.run(["bash", "-euo", "pipefail", "-c", string.Formatter().vformat(command, (), names)], check=True)


def main(wrapper, words):
    rule = types.SimpleNamespace(input=Names(), output=Names(), params=Names(), threads=1, log="")
    for word in words:
        name, value = word.split("=", 1)
        if "." in name:
            group, key = name.split(".")
            getattr(rule, group)[key] = Files(value.split(",")) if group == "input" else Text(value)
        else:
            setattr(rule, name, value)
    for name in [rule.log, *rule.output.values()]:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    rule.log_fmt_shell = lambda stdout, stderr, append=False: f"2>{'>' if append else ''} {shlex.quote(rule.log)}" if rule.log else ""
    module = types.ModuleType("snakemake.shell")
    module.shell = shell
    sys.modules["snakemake"], sys.modules["snakemake.shell"] = types.ModuleType("snakemake"), module
    try:
        runpy.run_path(wrapper, init_globals={"snakemake": rule})
    except (subprocess.CalledProcessError, ValueError) as e:
        sys.exit(f"wrappers.py: {e}")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(sys.argv[1], sys.argv[2:])
