# SPDX-License-Identifier: MIT
# What all rules know of config.yaml: folders, limits of jobs, databases.

import glob
import os
import re

from snakemake.exceptions import WorkflowError

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


def chain_files(wildcards):
    """Returns the files of the inputs; of a folder those that warpsieve-msa would take."""
    paths = config.get("chains") or []
    found = []
    for path in paths if isinstance(paths, list) else [paths]:
        if os.path.isdir(path):
            names = [n for n in sorted(os.listdir(path)) if re.fullmatch(r"[^.].*\.(json|fa|fasta|faa|fna|fas)(\.gz)?", n)]
            if not names:
                raise WorkflowError(f"{path}: the folder has no input, expected files named .fa, .fasta, .faa, .fna, .fas or .json")
            found += [os.path.join(path, n) for n in names]
        else:
            found.append(path)
    return found


def chain_databases():
    """Returns pairs of the name and the record of each database. Raises WorkflowError for what warpsieve-msa cannot search."""
    for name, entry in (config.get("databases") or {}).items():
        entry = entry if isinstance(entry, dict) else {"files": entry}
        if entry.get("apart"):
            raise WorkflowError(f"database {name}: found apart, which gives each file a job of its own; the target chains searches all "
                                "files of a database in one pass, and parts the chains: name the files FILE@N, or one FILE without apart")
        if not isinstance(entry.get("files"), str) or set(entry) - {"files", "Z"}:
            raise WorkflowError(f"database {name}: found {entry}, expected a file, FILE@N, or {{files: FILE, Z: N}} for the target chains")
        yield name, entry


def chain_database_files(wildcards):
    """Returns the files of all databases that are named: those of PATH@N, too."""
    found = []
    for _, entry in chain_databases():
        parts = re.fullmatch(r"(.+)@([0-9]{1,5}|\*)([._][^/@*?]*)?", entry["files"])
        if parts and not os.path.exists(entry["files"]):
            prefix, n, suffix = parts[1], parts[2], parts[3] or ""
            some = [f"{prefix}-{i:05d}-of-{int(n):05d}{suffix}" for i in range(int(n))] if n != "*" else sorted(
                glob.glob(f"{glob.escape(prefix)}-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9]{glob.escape(suffix)}"))
            found += some or [entry["files"]]
        else:
            found.append(entry["files"])
    return found


def chain_words(wildcards):
    """Returns the words of the command line that name the databases."""
    words = [f"--{option.replace('_', '-')}={config[option]}" for option in ("db_dir", "mmcif") if config.get(option)]
    for name, entry in chain_databases():
        words += ["--db", f"{name}={entry['files']}"] + (["-Z", f"{name}={entry['Z']}"] if "Z" in entry else [])
    return words
