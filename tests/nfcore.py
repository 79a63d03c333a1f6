#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the rules of nf-core for a module, as far as they need no Nextflow.

    nfcore.py check MODULE [COLLECTION]     meta.yml and environment.yml by the rules of the collection's schemas; with a
                                            checkout of the collection and jsonschema by the schemas themselves
    nfcore.py snapshot RUN STUB VERSION     prints what nf-test would record of the files in RUN and STUB, where the script
                                            and the stub of the cascade ran
    nfcore.py tables MODULE RUN STUB VERSION    the same of a module that writes reports and tables: rows without comments
"""
import gzip
import hashlib
import json
import os
import re
import sys

import yaml

TYPES = {"map", "file", "directory", "string", "integer", "float", "boolean", "list", "eval"}


def need(fact, what):
    if not fact:
        sys.exit(f"nfcore.py: {what}")


def elements(channels):
    """The elements (name, properties) of channels: lists of elements, or of lists of them."""
    for channel in channels:
        for element in channel if isinstance(channel, list) else [channel]:
            yield from element.items()


def check_meta(meta):
    need({"name", "description", "keywords", "authors", "output", "tools"} <= set(meta), f"meta.yml has only {list(meta)}")
    words = meta["keywords"]
    need(len(set(words)) == len(words) >= 3, f"keywords {words}: three or more, each once")
    for tool in meta["tools"]:
        for name, facts in tool.items():
            need("description" in facts, f"{name} has no description")
            places = {"homepage", "documentation", "tool_dev_url", "doi"} & set(facts)
            need(places, f"{name} has none of homepage, documentation, tool_dev_url, doi")
            for place in places - {"doi"}:
                need(re.match(r"https?://", facts[place]), f"{place} of {name} is no address: {facts[place]}")
            need(re.fullmatch(r"(biotools:.*)?", facts.get("identifier", "")), f"identifier {facts.get('identifier')}")
    channels = [meta["input"]] + list(meta["output"].values()) + list(meta.get("topics", {}).values())
    for name, facts in elements([c for channel in channels for c in channel]):
        need({"type", "description"} <= set(facts), f"{name} has only {list(facts)}")
        need(facts["type"] in TYPES, f"{name} has the type {facts['type']}")


def check(module, collection=None):
    meta = yaml.safe_load(open(os.path.join(module, "meta.yml")))
    conda = yaml.safe_load(open(os.path.join(module, "environment.yml")))
    check_meta(meta)
    need("name" not in conda and conda["channels"] == ["conda-forge", "bioconda"], f"environment.yml: {conda}")
    for package in conda["dependencies"]:
        need(re.fullmatch(r"bioconda::\w+=\d+\.\d+\.\d+", package), f"{package} is not pinned to a version")
    if collection:
        import jsonschema
        for data, schema in ((meta, "meta-schema.json"), (conda, "environment-schema.json")):
            jsonschema.validate(data, json.load(open(os.path.join(collection, "modules", schema))))
        print(f"# ran: the schemas of {os.path.basename(collection.rstrip('/'))}")


def recorded(folder, name):
    """A file as nf-test records it: its name and the MD5 sum of what is in it, unpacked."""
    with open(os.path.join(folder, name), "rb") as f:
        data = f.read()
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    return [[{"id": "test"}, f"{name}:md5,{hashlib.md5(data).hexdigest()}"]]


def snapshot(run, stub, version):
    names = {"table": "test.hits.tsv.gz", "fasta": "test.hits.fa.gz", "stats": "test.hits.json"}
    outputs = {key: recorded(stub, name) for key, name in sorted(names.items())}
    outputs["versions_warpsieve"] = [["WARPSIEVE_CASCADE", "warpsieve", version]]
    tests = {
        "proteins - one model": [recorded(run, names["table"]), recorded(run, names["fasta"])],
        "proteins - stub": [outputs],
    }
    print(json.dumps({name: {"content": content} for name, content in tests.items()}, indent=4))


def tables(module, run, stub, version):
    with open(os.path.join(module, "main.nf")) as f:
        text = f.read()
    with open(os.path.join(module, "tests", "main.nf.test")) as f:
        title = re.search(r'test\("(.*)"\)', f.read())[1]
    process = re.search(r"^process (\w+)", text, re.M)[1]
    outputs = {emit: "test" + glob.lstrip("*") for glob, emit in re.findall(r'path\("(.*)"\), emit: (\w+)', text)}
    versions = [[process, "warpsieve", version]]
    out = {}
    for emit in sorted(outputs):
        if emit.endswith("_summary"):
            with gzip.open(os.path.join(run, outputs[emit]), "rt") as f:
                out[emit] = {"content": [[line.rstrip("\n") for line in f if not line.startswith("#")]]}
    out[title + " - stub"] = {"content": [{**{emit: recorded(stub, name) for emit, name in sorted(outputs.items())},
                                          "versions_warpsieve": versions}]}
    out["versions"] = {"content": [versions]}
    print(json.dumps(out, indent=4))


if __name__ == "__main__":
    {"check": check, "snapshot": snapshot, "tables": tables}[sys.argv[1]](*sys.argv[2:])
