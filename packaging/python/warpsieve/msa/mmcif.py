# SPDX-License-Identifier: MIT
"""mmCIF files, as far as templates need them: tables, the release date, the residues of a chain, and a chain as a file of its own."""
import os
import re
import tarfile

from .. import Error
from .residues import letter

TOKEN = re.compile(r"""'(?:[^'\n]|'(?=\S))*'(?=\s|$)|"(?:[^"\n]|"(?=\S))*"(?=\s|$)|\#.*|\S+""")
PLAIN = re.compile(r"[^\s'\"#$_;\[\]][^\s]*")
RESERVED = re.compile(r"(data_|loop_|global_|save_|stop_)", re.I)
# A chain's own file keeps these categories of the whole: (category, item that names the chain or its entity, of what)
KEPT = (("entity", "id", "entity"), ("entity_poly", "entity_id", "entity"), ("entity_poly_seq", "entity_id", "entity"),
        ("struct_asym", "id", "asym"), ("pdbx_poly_seq_scheme", "asym_id", "asym"), ("atom_site", "label_asym_id", "asym"))
KEPT_FILES = 16
WHOLE = ("entry", "exptl", "refine", "em_3d_reconstruction", "reflns", "pdbx_audit_revision_history")


def tokens(text):
    """Yields the tokens of an mmCIF file as pairs of kind and text; kind is value for what stood in quotes or is a text field."""
    field = None
    for line in text.split("\n"):
        if field is not None:
            if line.startswith(";"):
                yield "value", "\n".join(field)
                field, line = None, line[1:]
            else:
                field.append(line)
                continue
        elif line.startswith(";"):
            field = [line[1:]]
            continue
        if "'" not in line and '"' not in line and "#" not in line:
            for word in line.split():
                yield "word", word
            continue
        for match in TOKEN.finditer(line):
            word = match[0]
            if word.startswith("#"):
                break
            quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "'\""
            yield ("value", word[1:-1]) if quoted else ("word", word)
    if field is not None:
        raise ValueError("a text field that begins with ; has no end")


class File:
    """The tables of an mmCIF file: `tables` has the items and the rows of each category."""

    def __init__(self, text, name):
        self.name, self.tables = name, {}
        try:
            self._read(tokens(text))
        except ValueError as e:
            raise Error(f"{name}: {e}") from None

    def _read(self, source):
        names, values, loop = [], [], False
        for kind, word in source:
            if kind == "word" and (word[0] == "_" or word == "loop_" or word.startswith("data_")):
                if values or not word.startswith("_") or not loop:
                    self._keep(names, values)
                    names, values, loop = ([], [], loop and not values) if word[0] == "_" else ([], [], False)
                if word == "loop_":
                    loop = True
                elif word[0] == "_":
                    names.append(word)
            else:
                values.append(word)
        self._keep(names, values)

    def _keep(self, names, values):
        """Puts a loop, or one item, into its table."""
        if not names:
            return
        if not values or len(values) % len(names):
            raise ValueError(f"{names[0]} has {len(values)} values for {len(names)} items")
        category = names[0][1:].partition(".")[0]
        items = [n.partition(".")[2] for n in names]
        if category in self.tables and len(names) == 1:
            self.tables[category][0].extend(items)
            self.tables[category][1][0].extend(values)
        else:
            self.tables[category] = (items, [values[i:i + len(names)] for i in range(0, len(values), len(names))])

    def rows(self, category, *items):
        """Yields the values of these items for each row; None for an item that is absent."""
        have, rows = self.tables.get(category, ([], []))
        at = [have.index(item) if item in have else None for item in items]
        for row in rows:
            yield tuple(None if i is None else row[i] for i in at)

    def release_date(self):
        """Returns the first date of the revisions, or None."""
        return min((date for date, in self.rows("pdbx_audit_revision_history", "revision_date") if date), default=None)

    def chain(self, author):
        """Returns the Chain of a polymer by its author's name, or None."""
        found = {}
        for asym, entity, strand, number, monomer in self.rows("pdbx_poly_seq_scheme", "asym_id", "entity_id", "pdb_strand_id", "seq_id",
                                                               "mon_id"):
            if strand == author:
                found.setdefault((asym, entity), {}).setdefault(int(number), monomer)
        if not found:
            return None
        (asym, entity), residues = next(iter(found.items()))
        return Chain(self, author, asym, entity, [residues[n] for n in sorted(residues)])


class Chain:
    """A polymer: `sequence` has a letter for each residue, `unresolved` the places without atoms, from 0."""

    def __init__(self, file, author, asym, entity, monomers):
        self.file, self.author, self.asym, self.entity = file, author, asym, entity
        canonical = next((re.sub(r"\s", "", code or "") for e, code in file.rows("entity_poly", "entity_id", "pdbx_seq_one_letter_code_can")
                          if e == entity), "")
        kind = next((t or "" for e, t in file.rows("entity_poly", "entity_id", "type") if e == entity), "")
        fits = len(canonical) == len(monomers)
        known = "protein" if "peptide" in kind else "rna"
        self.sequence = "".join(letter(m, known) or (canonical[i] if fits else "X" if known == "protein" else "N")
                                for i, m in enumerate(monomers))
        first = next((model for model, in file.rows("atom_site", "pdbx_PDB_model_num")), None)
        present = {number for a, number, model in file.rows("atom_site", "label_asym_id", "label_seq_id", "pdbx_PDB_model_num")
                   if a == asym and model == first}
        self.unresolved = [i for i in range(len(monomers)) if str(i + 1) not in present]
        self.model = first

    def text(self):
        """Returns the chain as an mmCIF file of its own: its first model, and what says what it is."""
        out = [f"data_{self.file.name}", "#"]
        for category in WHOLE:
            if category in self.file.tables:
                out += table(category, *self.file.tables[category])
        for category, item, of in KEPT:
            have, rows = self.file.tables.get(category, ([], []))
            if item not in have:
                continue
            at, wanted = have.index(item), self.entity if of == "entity" else self.asym
            rows = [row for row in rows if row[at] == wanted]
            if category == "atom_site" and "pdbx_PDB_model_num" in have:
                model = have.index("pdbx_PDB_model_num")
                rows = [row for row in rows if row[model] == self.model]
            out += table(category, have, rows)
        return "\n".join(out) + "\n"


def quoted(value):
    """Returns a value as it stands in a file."""
    if PLAIN.fullmatch(value) and not RESERVED.match(value):
        return value
    if "\n" in value or ("'" in value and '"' in value):
        return f"\n;{value}\n;\n"
    return f'"{value}"' if "'" in value else f"'{value}'"


def table(category, items, rows):
    """Returns the lines of a table."""
    if len(rows) == 1:
        return [f"_{category}.{item} {quoted(value)}" for item, value in zip(items, rows[0])] + ["#"]
    return ["loop_"] + [f"_{category}.{item}" for item in items] + [" ".join(map(quoted, row)) for row in rows] + ["#"] if rows else []


class Store:
    """The mmCIF files by their names: a folder of NAME.cif, or a .tar of them."""

    def __init__(self, path):
        self.path, self.members, self.kept = path, None, {}
        if os.path.isfile(path):
            try:
                self.tar = tarfile.open(path, "r:")
            except tarfile.TarError as e:
                raise Error(f"--mmcif {path}: {e}; expected a folder of .cif files, or a .tar of them") from None
            self.members = {os.path.basename(m.name).lower()[:-4]: m for m in self.tar if m.isfile() and m.name.lower().endswith(".cif")}
        elif not os.path.isdir(path):
            raise Error(f"--mmcif {path} is not there, expected a folder of .cif files, or a .tar of them")

    def file(self, name):
        """Returns the File of a structure, or None where it is not there. It keeps the last ones."""
        if name not in self.kept:
            if len(self.kept) == KEPT_FILES:
                del self.kept[next(iter(self.kept))]
            text = self.text(name)
            self.kept[name] = None if text is None else File(text, name)
        return self.kept[name]

    def text(self, name):
        """Returns the text of a structure's file, or None where it is not there."""
        try:
            if self.members is None:
                with open(os.path.join(self.path, name + ".cif"), encoding="utf-8", errors="backslashreplace") as f:
                    return f.read()
            return self.tar.extractfile(self.members[name]).read().decode("utf-8", "backslashreplace")
        except (FileNotFoundError, KeyError):
            return None
