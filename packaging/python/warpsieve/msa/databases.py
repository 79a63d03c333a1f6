# SPDX-License-Identifier: MIT
"""The databases: AlphaFold 3's names, limits and order, where their files are, and how they are packed once."""
import fcntl
import glob
import json
import os
import re

from .. import Error
from . import engine

# name: (kind of chains, rows at most with the query's, the file in a folder of AlphaFold 3's, which may also have .gz or .wsp)
KNOWN = {
    "uniref90": ("protein", 10000, "uniref90_2022_05.fa"),
    "small_bfd": ("protein", 5000, "bfd-first_non_consensus_sequences.fasta"),
    "mgnify": ("protein", 5000, "mgy_clusters_2022_05.fa"),
    "uniprot": ("protein", 50000, "uniprot_all_2021_04.fa"),
    "rfam": ("rna", 10000, "rfam_14_9_clust_seq_id_90_cov_80_rep_seq.fasta"),
    "rnacentral": ("rna", 10000, "rnacentral_active_seq_id_90_cov_80_linclust.fasta"),
    "nt_rna": ("rna", 10000, "nt_rna_2023_02_23_clust_seq_id_90_cov_80_rep_seq.fasta"),
    "seqres": ("template", 0, "pdb_seqres_2022_09_28.fasta"),
}
UNPAIRED = ("uniref90", "small_bfd", "mgnify")  # the order in which rows are merged
PAIRED = ("uniprot",)
RNA = ("rfam", "rnacentral", "nt_rna")
MMCIF = "mmcif_files"
SHARDS = re.compile(r"(?P<prefix>.+)@(?P<n>[0-9]{1,5}|\*)(?P<suffix>[._][^/@*?]*)?")


class Database:
    """`files` are searched one after another as one database; `given` is what the user named."""

    def __init__(self, name, given, z=None):
        self.name, self.given, self.z = name, given, z
        self.kind, self.limit, _ = KNOWN[name]
        self.files = files_of(name, given)

    def state(self):
        """Returns what tells whether a database is the one of the run before: files, sizes and times."""
        return [[os.path.abspath(path), os.stat(path).st_size, os.stat(path).st_mtime_ns] for path in self.files] + [self.z]


def files_of(name, given):
    """Returns the files that a path stands for: PATH@N and PATH@* are the parts of a database. Raises Error where one is missing."""
    said = SHARDS.fullmatch(given)
    files = [given]
    if said and not os.path.exists(given):
        prefix, n, suffix = said["prefix"], said["n"], said["suffix"] or ""
        if n == "*":
            found = sorted(glob.glob(f"{glob.escape(prefix)}-00000-of-[0-9][0-9][0-9][0-9][0-9]{glob.escape(suffix)}"))
            if len(found) != 1:
                raise Error(f"database {name}: {given} stands for one first part {prefix}-00000-of-N{suffix}, found {len(found)}")
            n = found[0][len(prefix) + 10:len(prefix) + 15]
        files = [f"{prefix}-{i:05d}-of-{int(n):05d}{suffix}" for i in range(int(n))]
        if not files:
            raise Error(f"database {name}: {given} stands for no part, expected at least one")
    for path in files:
        if not os.path.isfile(path):
            what = "is a folder" if os.path.isdir(path) else "is not there"
            raise Error(f"database {name}: {path} {what}, expected a file of sequences: FASTA, .gz or packed")
    if not any(os.path.getsize(path) for path in files):
        raise Error(f"database {name}: {given} is empty, expected sequences")
    return files


def number(text, what):
    """Returns a number above 0. Raises Error for any other text."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise Error(f"{what}: found {text!r}, expected a number above 0")
    return text


def pairs(words, option, what):
    """Returns the dict of options NAME=VALUE. Raises Error for other words and names."""
    found = {}
    for word in words:
        name, equal, value = word.partition("=")
        if not equal or not value or name not in KNOWN:
            raise Error(f"{option} {word}: expected NAME={what}, with one of the names {', '.join(KNOWN)}")
        if name in found:
            raise Error(f"{option} {word}: {name} is there twice")
        found[name] = value
    return found


def in_folder(folder):
    """Returns the dict of the databases of a folder as AlphaFold 3 has it, and its folder of mmCIF files or None."""
    if not os.path.isdir(folder):
        raise Error(f"--db-dir {folder}: there is no such folder")
    found = {}
    for name, (_, _, file) in KNOWN.items():
        stem = os.path.join(folder, file)
        for path in (stem + ".wsp", stem, stem + ".gz"):
            if os.path.isfile(path):
                found[name] = path
                break
        else:
            parts = sorted(glob.glob(glob.escape(stem) + "-00000-of-[0-9][0-9][0-9][0-9][0-9]"))
            if parts:
                found[name] = f"{stem}@{int(parts[0][-5:])}"
    if not found:
        raise Error(f"--db-dir {folder}: it has no database by AlphaFold 3's names, such as {KNOWN['uniref90'][2]}")
    mmcif = os.path.join(folder, MMCIF)
    return found, mmcif if os.path.isdir(mmcif) else None


def listed(folders, words, sizes):
    """Returns the databases in the order in which they are searched, and the folder of mmCIF files or None."""
    paths, mmcif = {}, None
    for folder in folders:
        more, cif = in_folder(folder)
        paths = {**more, **paths}
        mmcif = mmcif or cif
    paths.update(pairs(words, "--db", "PATH"))
    z = pairs(sizes, "-Z", "N")
    for name in z:
        if name not in paths:
            raise Error(f"-Z {name}={z[name]}: there is no database {name} among those given")
        number(z[name], f"-Z {name}")
    return [Database(name, paths[name], z.get(name)) for name in KNOWN if name in paths], mmcif


def pack(database, folder, log, options):
    """Replaces the files of a database by packed ones in `folder`, and makes those that are not there yet.

    A packed file appears when it is whole. One of two runs at once packs, and the other waits for it.
    """
    os.makedirs(folder, exist_ok=True)
    for i, path in enumerate(database.files):
        with open(path, "rb") as f:
            if f.read(4) == b"\x89WSP":
                continue
        to = os.path.join(folder, os.path.basename(path) + ".wsp")
        said = json.dumps([os.path.abspath(path), os.stat(path).st_size, os.stat(path).st_mtime_ns])
        with open(to + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            other = packed_from(to + ".from")
            if other not in (None, os.path.abspath(path)):
                raise Error(f"--pack {folder}: {to} was packed from {other}, expected {os.path.abspath(path)}: "
                            "give another folder, or remove it")
            if not (os.path.exists(to) and same_text(to + ".from", said)):
                log(f"packs {path} into {to}, once")
                part = f"{to}.{os.getpid()}.part"
                try:
                    engine.run("respack", ["--rna"] * (database.kind == "rna") + ["-o", part, path], options, f"packing {database.name}")
                    os.replace(part, to)
                finally:
                    if os.path.exists(part):
                        os.unlink(part)
                engine.put(to + ".from", said)
        database.files[i] = to


def packed_from(path):
    """Returns the path that a packed file was made from, as the file beside it says, or None."""
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)[0]
    except (FileNotFoundError, ValueError):
        return None


def read_object(path):
    """Returns the object of a JSON file, an empty one where there is none."""
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def same_text(path, text):
    """Returns whether a file has this text."""
    try:
        with open(path, encoding="utf-8") as f:
            return f.read() == text
    except FileNotFoundError:
        return False
