# SPDX-License-Identifier: MIT
# What all rules know of config.yaml: folders, limits of jobs, databases.

import os

OUT = config.get("out", "results")
PARTS_SH = os.path.join(workflow.basedir, config.get("parts_sh", "../shell/parts.sh"))
JOIN_SH = os.path.join(workflow.basedir, config.get("join_sh", "../shell/join.sh"))
DEVICE_SH = os.path.join(workflow.basedir, config.get("device_sh", "../shell/device.sh"))
GPUS = int(config.get("gpus", 0))
ALPHABET = f"--{config.get('alphabet', 'amino')}"
RUNTIME = int(config.get("runtime", 240))


def MEM_MB(wildcards, attempt):
    """Returns the megabytes to ask for: more for a job that is tried again, since its memory may have been too small."""
    return attempt * int(config.get("mem_mb", 4000))


def targets_of(key):
    """Returns databases by name, each a record with a list of files. With `apart` a file is one, NAME.1 and so on."""
    found = {}
    for name, entry in (config.get(key) or {}).items():
        entry = dict(entry) if isinstance(entry, dict) else {"files": entry}
        files = entry["files"] if isinstance(entry["files"], list) else [entry["files"]]
        if entry.get("apart") and key == "databases":  # -Z of nhmmer counts megabases
            for i, file in enumerate(files, 1):
                found[f"{name}.{i}"] = {**entry, "files": [file], "of": name, "all": files}
        else:
            found[name] = {**entry, "files": files}
    return found


DATABASES = targets_of("databases")
GENOMES = targets_of("genomes")
CONTIGS = targets_of("contigs")
WHOLE = {entry["of"]: entry["all"] for entry in DATABASES.values() if "of" in entry}


def counts_of(wildcards):
    """Returns the file with the size of the whole database, unless config gives the size."""
    entry = DATABASES[wildcards.database]
    return [f"{OUT}/counts/{entry['of']}.json"] if "of" in entry and "Z" not in entry else []


def size_of(wildcards):
    """Returns -Z for a part of a larger database: of config, or of the file of counts when the job runs."""
    entry = DATABASES[wildcards.database]
    if "Z" in entry:
        return f"-Z {entry['Z']}"
    return "-Z $(sed -n 's/^ *\"sequences\": \\([0-9]*\\).*/\\1/p' '{}')".format(*counts_of(wildcards)) if "of" in entry else ""
