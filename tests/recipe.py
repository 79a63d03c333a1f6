#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a conda recipe as conda-build would, as far as one can without it, and checks what it names against the sources.

    recipe.py TOP [FOLDER [TARBALL]]     TOP is the unpacked sources; prints the commands of the recipe's test
FOLDER is the recipe's, by default that of the sources; one that make release wrote has the checksum of TARBALL.
"""
import glob
import hashlib
import os
import re
import shlex
import sys

import yaml

top = sys.argv[1]
folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(top, "packaging", "bioconda")
tarball = sys.argv[3] if len(sys.argv) > 3 else None


def need(fact, what):
    if not fact:
        sys.exit(f"{folder}/meta.yaml: {what}")


def render(text):
    """Jinja, but only what the recipe may use: values that are set, a compiler, and a pin of the package itself."""
    names = {}

    def value(m):
        x = m[1].strip()
        if x in names:
            return names[x]
        if re.fullmatch(r"compiler\('c'\)", x):
            return "gcc_linux-64"
        pin = re.fullmatch(r'pin_subpackage\((\w+), max_pin="(x(?:\.x)*)"\)', x)
        need(pin and pin[1] in names, f"{{{{ {x} }}}} has no value")
        return f"{names[pin[1]]} >={names['version']}"

    lines = []
    for line in text.splitlines():
        s = re.fullmatch(r'\{% set (\w+) = "([^"]*)" %\}', line)
        if s:
            names[s[1]] = s[2]
        else:
            lines.append(re.sub(r"\{\{(.*?)\}\}", value, line))
    text = "\n".join(lines)
    need("{%" not in text and "{{" not in text, "there is more of Jinja than is read here")
    return text


def words(command):
    """The programs of a command: the first word of each part of its pipeline."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    first = True
    for token in lexer:
        if set(token) <= set("|&;"):
            first = True
        elif first:
            yield token
            first = False


def main():
    text = open(os.path.join(folder, "meta.yaml")).read()
    recipe = yaml.safe_load(render(text))
    version = re.search(r'define WS_VERSION "(.*)"', open(os.path.join(top, "lib/base/ws.h")).read())[1]
    tables = [f for f in glob.glob(os.path.join(top, "bin/*/*.c")) if re.search(r"(?m)^const ws_tool ws_", open(f).read())]
    tools = {os.path.basename(f)[:-2] for f in tables}

    need(list(recipe) == ["package", "source", "build", "requirements", "test", "about", "extra"], f"sections {list(recipe)}")
    need(recipe["package"] == {"name": "warpsieve", "version": version}, f"package {recipe['package']}, expected version {version}")
    need(isinstance(recipe["build"]["number"], int), "the build has no number")
    need(recipe["build"]["run_exports"] == [f"warpsieve >={version}"], "run_exports is no pin of the package")
    need(re.search(r"(?m)^  skip: true  # \[not linux\]$", text), "it does not say for which systems it is")
    source = top
    home = recipe["about"]["home"]
    want = {"url": f"{home}/releases/warpsieve-{version}.tar.gz", "sha256": 64 * "0"}
    if tarball:
        want["sha256"] = hashlib.sha256(open(tarball, "rb").read()).hexdigest()
    need(recipe["source"] == want, f"source {recipe['source']}, expected {want}")
    need(recipe["extra"]["additional-platforms"] == ["linux-aarch64"], "it is not for linux-aarch64")
    need(recipe["extra"]["recipe-maintainers"], "no maintainers are named")
    need(os.path.isfile(os.path.join(folder, "build.sh")), "no build.sh beside it")

    about = recipe["about"]
    licence = open(os.path.join(source, about["license_file"])).read()
    mit = about["license"] == "MIT" and licence.startswith("MIT License")
    need(mit, f"licence {about['license']}, but {about['license_file']} is another")
    # as the linker and as conda call them; the rest is of the C library
    libraries = {"xxhash": "xxhash", "z": "zlib", "zstd": "zstd", "isal": "isa-l"}
    linked = re.search(r"(?m)^WS_LIBS\s*:= (.*)", open(os.path.join(source, "Makefile")).read())[1].replace("-l", "").split()
    linked += ["zstd", "isal"]  # the optional ones
    want = {libraries[x] for x in linked if x not in ("pthread", "m")}
    for part in ("host", "run"):
        have = {x.split()[0] for x in recipe["requirements"][part]}
        need(have == want, f"requirements for {part} are {have}, the programs need {want}")

    files = recipe["test"]["source_files"]
    for f in files:
        need(glob.glob(os.path.join(source, f)), f"no file {f}")
    commands = recipe["test"]["commands"]
    need(any("bin/*/*.c" in c and "--version" in c for c in commands), "its test does not ask every tool for its version")
    used = {w for c in commands[1:] for w in words(c)}
    need(used - tools <= {"grep"}, f"its test calls {used - tools - {'grep'}}, which nothing installs")
    named = {w.rstrip(";)") for c in commands for w in shlex.split(c) if "/" in w}
    need(named == set(files), f"its test reads {named}, and {files} are there")
    print("\n".join(commands))


main()
