# SPDX-License-Identifier: MIT
"""The inputs: FASTA, AlphaFold 3's input JSON, and folders of both, as jobs that are made of chains."""
import gzip
import hashlib
import json
import lzma
import os
import re
import zlib

from .. import Error
from . import a3m
from .residues import letter

JSON_VERSIONS = (1, 2, 3, 4)
TOP = {"dialect", "version", "name", "modelSeeds", "sequences", "bondedAtomPairs", "userCCD", "userCCDPath"}
FIELDS = {
    "protein": {"id", "sequence", "modifications", "description", "unpairedMsa", "unpairedMsaPath", "pairedMsa", "pairedMsaPath",
                "templates"},
    "rna": {"id", "sequence", "modifications", "description", "unpairedMsa", "unpairedMsaPath"},
    "dna": {"id", "sequence", "modifications", "description"},
    "ligand": {"id", "ccdCodes", "smiles", "description"},
}
CHANGE = {"protein": ("ptmType", "ptmPosition"), "rna": ("modificationType", "basePosition"), "dna": ("modificationType", "basePosition")}
STANDARD = {"protein": "ACDEFGHIKLMNPQRSTVWY", "rna": "ACGU"}
ANY = {"protein": "X", "rna": "N"}
NAMES = re.compile(r"\.(json|fa|fasta|faa|fna|fas)(\.gz)?")
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
LONGEST_NAME = 200  # of a file, to which endings are added: file systems allow 255 bytes


class Chain:
    """A query: one sequence of one kind, whatever the number of chains that have it.

    `msa` is whether its alignments are searched, `own` the alignment of the input that templates are searched with.
    """

    def __init__(self, kind, sequence, msa=True, templates=True, own=None):
        self.kind, self.sequence, self.msa, self.templates, self.own = kind, sequence, msa, templates and kind == "protein", own
        self.key = hashlib.sha256(f"{kind} {sequence}".encode()).hexdigest()[:32]
        self.template_key = self.key if own is None else hashlib.sha256(f"{self.key} {own}".encode()).hexdigest()[:32]


class Entry:
    """A chain of a job, or several with one sequence: `ids`, and its fields as AlphaFold 3 writes them; `chain` is None where nothing
    is searched."""

    def __init__(self, kind, ids, fields, chain=None, note=None):
        self.kind, self.ids, self.fields, self.chain, self.note = kind, ids, fields, chain, note


class Job:
    """A prediction: its name, the file that it comes from, and its entries. `top` is what its JSON has besides, `digest` that of all
    that the input says."""

    def __init__(self, name, source, entries, top=None):
        self.name, self.source, self.entries = name, source, entries
        self.file_name = NOT_IN_NAMES.sub("", name.replace(" ", "_"))
        if not self.file_name.strip("."):
            raise Error(f"{source}: the name {name!r} has no letter or digit that a file could be named by")
        if len(self.file_name) > LONGEST_NAME:
            raise Error(f"{source}: the name {name[:40]!r}... has {len(self.file_name)} letters for the name of a file, "
                        f"expected at most {LONGEST_NAME}")
        if re.search("[\ud800-\udfff]", name):
            raise Error(f"{source}: the name {name!r} has half of a character (a surrogate), expected text")
        self.top = top or {"name": name, "modelSeeds": [1], "bondedAtomPairs": None, "userCCD": None}
        self.chains = [e.chain for e in entries if e.chain]
        self.notes = [f"{source}: {name}: {e.note}" for e in entries if e.note]
        self.digest = hashlib.sha256(json.dumps([self.top, [(e.kind, e.ids, e.fields) for e in entries]]).encode()).hexdigest()


def read_text(path):
    """Returns the text of a file, plain or compressed by gzip or xz. Raises Error where it is none."""
    try:
        with open(path, "rb") as f:
            data = f.read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        elif data[:6] == b"\xfd7zXZ\0":
            data = lzma.decompress(data)
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            raise Error(f"{path}: it is compressed with zstd, expected plain text, gzip or xz: zstd -d makes it plain")
        return data.decode("utf-8")
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as e:
        raise Error(f"{path}: {e.strerror if isinstance(e, OSError) and e.strerror else e}") from None
    except UnicodeDecodeError as e:
        raise Error(f"{path}: byte {e.start} is no UTF-8, expected text") from None


def read(path, of_fasta):
    """Returns the jobs of a file; `of_fasta` is protein, rna or auto. Raises Error with the file, what is wrong and what was expected."""
    text = read_text(path)
    begin = text.lstrip()[:1]
    if begin == ">":
        return from_fasta(path, text, of_fasta)
    if begin in ("{", "["):
        return [from_json(path, text)]
    found = text.lstrip()[:20].split("\n")[0]
    raise Error(f"{path}: found {found!r} at its beginning, expected FASTA, which begins with >, or JSON, which begins with {{")


# ---- FASTA ----


def kind_of(path, name, sequence, of_fasta):
    """Returns the kind of a record of FASTA. Raises Error where its letters leave it open."""
    if of_fasta != "auto":
        return of_fasta
    letters = set(sequence)
    if letters <= set("ACGUN") and "U" in letters:
        return "rna"
    if letters <= set("ACGTN"):
        raise Error(f"{path}: record {name!r} may be DNA or a protein, since it has the letters {''.join(sorted(letters))} alone; "
                    "--fasta protein says that it is one; RNA has U in place of T")
    return "protein"


def from_fasta(path, text, of_fasta):
    """Returns a job for each record, with the chain A."""
    jobs = []
    for number, (header, sequence) in enumerate(a3m.records(text.split("\n")), 1):
        name = header.split()[0] if header.split() else ""
        sequence = sequence.rstrip("*").upper()
        if not name:
            raise Error(f"{path}: record {number} has no name behind its >")
        if not sequence:
            raise Error(f"{path}: record {name!r} has no residues")
        wrong = re.search(r"[^A-Z]", sequence)
        if wrong:
            raise Error(f"{path}: record {name!r}: found {wrong[0]!r} at residue {wrong.start() + 1}, expected letters")
        kind = kind_of(path, name, sequence, of_fasta)
        wrong = re.search(r"[^ACGUNRYSWKMBDHV]", sequence) if kind == "rna" else None
        if wrong:
            raise Error(f"{path}: record {name!r}: found {wrong[0]!r} at residue {wrong.start() + 1}, expected letters of RNA: "
                        "A, C, G, U (not T), or those that stand for several of them")
        jobs.append(Job(name, path, [entry(path, kind, ["A"], {"id": "A", "sequence": sequence})]))
    return jobs


# ---- AlphaFold 3's JSON ----


def searched(path, where, kind, sequence, changes):
    """Returns the sequence that is searched for, as AlphaFold 3 makes it: the parents of modified residues, and X or N for what is not
    a standard residue."""
    letters = [c if c in STANDARD[kind] else ANY[kind] for c in sequence]
    for code, at in changes:
        found = letter(code, kind)
        if found is None:
            raise Error(f"{path}: {where}: the parent of residue {code} at {at} is not known here; --modified {code}=LETTER says it")
        letters[at - 1] = found
    return "".join(letters)


def replaced(where, kind, sequence, changes):
    """Returns the sentence about letters that stand for no residue and are searched as X or N, as in AlphaFold 3; None: there are none."""
    at = {place for _, place in changes}
    letters = [c for i, c in enumerate(sequence, 1) if c not in STANDARD[kind] + ANY[kind] and i not in at]
    if not letters:
        return None
    each = ", ".join(f"{letters.count(c)} {c}" for c in sorted(set(letters)))
    return f"{where}: {len(letters)} letter{'s' * (len(letters) != 1)} searched as {ANY[kind]}, as AlphaFold 3 does: {each}"


def changes_of(path, where, kind, fields):
    """Returns the pairs of code and place of modified residues. Raises Error for others."""
    code, at = CHANGE[kind]
    changes = []
    for one in fields.get("modifications") or []:
        if not isinstance(one, dict) or not isinstance(one.get(code), str) or not isinstance(one.get(at), int):
            raise Error(f"{path}: {where}: found the modification {json.dumps(one)}, expected an object with {code} and {at}")
        if not 0 < one[at] <= len(fields["sequence"]):
            raise Error(f"{path}: {where}: a modification at {one[at]}, expected 1 to {len(fields['sequence'])}")
        if one[code].startswith("CCD_"):
            raise Error(f"{path}: {where}: found {one[code]}, expected a code without CCD_")
        changes.append((one[code], one[at]))
    return changes


def named_file(path, where, fields, name):
    """Returns the text of a field, or of the file that NAMEPath names; None where there is neither."""
    if fields.get(name) and fields.get(name + "Path"):
        raise Error(f"{path}: {where}: {name} and {name}Path are both there, expected one of them")
    if fields.get(name + "Path"):
        return read_text(os.path.join(os.path.dirname(os.path.abspath(path)), fields[name + "Path"]))
    if fields.get(name) is not None and not isinstance(fields[name], str):
        raise Error(f"{path}: {where}: {name} is no text")
    return fields.get(name)


def given_templates(path, where, fields):
    """Returns the templates of a chain with their mmCIF in place of its path, or None where the field is absent."""
    if fields.get("templates") is None:
        return None
    if not isinstance(fields["templates"], list):
        raise Error(f"{path}: {where}: templates is no list")
    templates = []
    for one in fields["templates"]:
        unknown = sorted(set(one) - {"mmcif", "mmcifPath", "queryIndices", "templateIndices"})
        if unknown:
            raise Error(f"{path}: {where}: a template has the field {unknown[0]}, which AlphaFold 3 does not know")
        mmcif = named_file(path, where, one, "mmcif")
        query, template = one.get("queryIndices") or [], one.get("templateIndices") or []
        if not mmcif or len(query) != len(template):
            raise Error(f"{path}: {where}: a template has no mmcif, or lists of {len(query)} and {len(template)} indices, expected as many")
        templates.append({"mmcif": mmcif, "queryIndices": query, "templateIndices": template})
    return templates


def entry(path, kind, ids, fields):
    """Returns an entry with all its fields, and what is searched for it, by AlphaFold 3's rules."""
    where = f"{kind} {','.join(ids)}"
    sequence = fields.get("sequence")
    if not isinstance(sequence, str) or not sequence:
        raise Error(f"{path}: {where} has no sequence")
    wrong = re.search(r"[^A-Za-z]", sequence)
    if wrong:
        raise Error(f"{path}: {where}: found {wrong[0]!r} at residue {wrong.start() + 1}, expected letters")
    changes = changes_of(path, where, kind, fields)
    out = {"id": None, "sequence": sequence, "modifications": [dict(zip(CHANGE[kind], change)) for change in changes]}
    chain = note = None
    if kind != "dna":
        note = replaced(where, kind, sequence, changes)
        out["sequence"] = sequence = searched(path, where, kind, sequence, changes)
        chain = what_is_searched(path, where, kind, sequence, fields, out)
    if fields.get("description") is not None:
        out["description"] = fields["description"]
    return Entry(kind, ids, out, chain, note)


def what_is_searched(path, where, kind, sequence, fields, out):
    """Fills the fields that the input has, and returns the Chain of what it lacks, or None."""
    empty = a3m.text(a3m.query_alone(sequence))
    unpaired = named_file(path, where, fields, "unpairedMsa")
    out["unpairedMsa"] = None if unpaired is None else unpaired or empty
    if kind == "rna":
        return Chain(kind, sequence) if unpaired is None else None
    paired = named_file(path, where, fields, "pairedMsa")
    templates = given_templates(path, where, fields)
    out["pairedMsa"] = None if paired is None else paired or empty
    out["templates"] = templates
    if unpaired is None and paired is None and not templates:
        return Chain(kind, sequence, templates=templates is None)
    if unpaired is None or paired is None:
        raise Error(f"{path}: {where} has a part of unpairedMsa, pairedMsa and templates, expected all three, or the two alignments, or "
                    'none: "" stands for an empty alignment and [] for no templates')
    return Chain(kind, sequence, msa=False, own=out["unpairedMsa"]) if templates is None else None


def from_json(path, text):
    """Returns the job of AlphaFold 3's input JSON."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise Error(f"{path}: it is no JSON: {e}") from None
    if isinstance(document, list):
        raise Error(f"{path}: it is a list, as AlphaFold Server writes; expected AlphaFold 3's own, an object with dialect alphafold3")
    unknown = sorted(set(document) - TOP)
    if unknown:
        raise Error(f"{path}: found the field {unknown[0]}, expected {', '.join(sorted(TOP))}")
    if document.get("dialect") != "alphafold3" or document.get("version") not in JSON_VERSIONS:
        raise Error(f"{path}: found dialect {document.get('dialect')!r} and version {document.get('version')!r}, "
                    f"expected alphafold3 and 1 to {JSON_VERSIONS[-1]}")
    if not isinstance(document.get("name"), str) or not document.get("modelSeeds") or not document.get("sequences"):
        raise Error(f"{path}: name, modelSeeds or sequences is absent or empty; AlphaFold 3 needs all three")
    try:
        return from_document(path, document)
    except (TypeError, ValueError, AttributeError) as e:
        raise Error(f"{path}: a value has another type than AlphaFold 3 expects there: {e}") from None


def from_document(path, document):
    """Returns the job of a document whose top is checked."""
    seen = {}
    entries = [e for one in document["sequences"] for e in json_entry(path, one, seen)]
    top = {"name": document["name"], "modelSeeds": [int(seed) for seed in document["modelSeeds"]],
           "bondedAtomPairs": document.get("bondedAtomPairs") or None, "userCCD": named_file(path, "the input", document, "userCCD")}
    return Job(document["name"], path, entries, top)


def json_entry(path, one, seen):
    """Returns the entries of an element of sequences: one with its ids."""
    if not isinstance(one, dict) or len(one) != 1 or next(iter(one)) not in FIELDS or not isinstance(next(iter(one.values())), dict):
        raise Error(f"{path}: found {json.dumps(one)[:60]} in sequences, expected an object with one of {', '.join(FIELDS)}")
    kind, fields = next(iter(one.items()))
    ids = fields.get("id")
    ids = ids if isinstance(ids, list) else [ids]
    if not ids or not all(isinstance(i, str) and i for i in ids):
        raise Error(f"{path}: a {kind} has the id {json.dumps(fields.get('id'))}, expected a text or a list of texts")
    for i in ids:
        if seen.setdefault(i, one) is not one or ids.count(i) > 1:
            raise Error(f"{path}: the id {i} is there twice, expected one for each chain")
    unknown = sorted(set(fields) - FIELDS[kind])
    if unknown:
        raise Error(f"{path}: {kind} {','.join(ids)} has the field {unknown[0]}, which AlphaFold 3 does not know")
    if kind != "ligand":
        return [entry(path, kind, ids, fields)]
    if ("ccdCodes" in fields) == ("smiles" in fields):
        raise Error(f"{path}: ligand {','.join(ids)} has both ccdCodes and smiles or none of them, expected one")
    out = {"id": None, **{name: fields[name] for name in ("ccdCodes", "smiles", "description") if fields.get(name) is not None}}
    return [Entry(kind, ids, out)]


# ---- folders ----


def files(paths, watched=False):
    """Returns the files that are named or lie in the folders, sorted in each folder.

    Raises Error for a path that is not there, and for a folder without inputs that is not watched.
    """
    found = []
    for path in paths:
        if os.path.isdir(path):
            inside = [os.path.join(path, n) for n in sorted(os.listdir(path)) if NAMES.search(n) and NAMES.search(n).end() == len(n)
                      and not n.startswith(".")]
            inside = [p for p in inside if os.path.isfile(p)]
            if not inside and not watched:
                raise Error(f"{path}: the folder has no input, expected files named .fa, .fasta, .faa, .fna, .fas or .json, also with .gz")
            found += inside
        elif os.path.exists(path):
            found.append(path)
        else:
            raise Error(f"{path}: there is no such file or folder")
    return list(dict.fromkeys(found))
