# SPDX-License-Identifier: MIT
"""Rows of alignments in A3M's form, read, merged and counted. A row is a pair of header and text."""
import re
import string

from .. import Error

LOWER = str.maketrans("", "", string.ascii_lowercase)
GAPS = str.maketrans("", "", "-.")


def records(lines):
    """Yields the pairs of header and text of FASTA or A3M in an iterable of lines, without the ends of lines."""
    header, parts = None, []
    for line in lines:
        line = line.strip()
        if line.startswith(">"):
            if header is not None:
                yield header, "".join(parts)
            header, parts = line[1:], []
        elif line and header is not None:
            parts.append(line)
    if header is not None:
        yield header, "".join(parts)


def text(rows):
    """Returns the text of rows."""
    return "".join(f">{header}\n{row}\n" for header, row in rows)


def query_alone(sequence):
    """Returns the rows of an alignment without hits."""
    return [("Original query", sequence)]


def merged(alignments, sequence):
    """Returns the rows of several alignments, in their order; of rows that differ in insertions alone the first stays."""
    seen, rows = set(), []
    for alignment in alignments:
        for header, row in alignment:
            columns = row.translate(LOWER)
            if columns not in seen:
                seen.add(columns)
                rows.append((header, row))
    return rows or query_alone(sequence)


def depth(rows, length):
    """Returns for each column how many rows have a residue there, the first row too. Raises Error for rows of other lengths."""
    columns = [row.translate(LOWER) for _, row in rows]
    for (header, _), row in zip(rows, columns):
        if len(row) != length:
            raise Error(f"row {header.split(' ')[0]!r} has {len(row)} columns, expected the {length} of its chain")
    whole = "".join(columns).encode("ascii", "replace")
    return [len(columns) - whole[i::length].count(b"-") for i in range(length)]


def with_source(header):
    """Returns the header of a hit of -O a3m with the words that a Stockholm file has before its description."""
    name, _, description = header.partition(" ")
    return f"{name} [subseq from] {description.strip() or name.rpartition('/')[0]}"


def stockholm(lines):
    """Yields the name and the rows of each alignment of a Stockholm file: headers are name and description, rows are as they stand.

    Rows are told apart by their place in a block, since two records of a database may have one name.
    """
    name, names, rows, descriptions, at = None, [], [], {}, 0
    for line in lines:
        line = line.strip()
        if line == "//":
            yield name, [(f"{n} {descriptions.get(n, '')}".strip(), "".join(r)) for n, r in zip(names, rows)]
            name, names, rows, descriptions, at = None, [], [], {}, 0
        elif not line:
            at = 0
        elif line.startswith("#=GF ID "):
            name = line[8:].strip()
        elif line.startswith("#=GS "):
            fields = line.split(maxsplit=3)
            if fields[2] == "DE":
                descriptions[fields[1]] = fields[3] if len(fields) == 4 else ""
        elif not line.startswith("#"):
            row, piece = line.split(maxsplit=1)
            if at == len(names):
                names.append(row)
                rows.append([])
            rows[at].append(piece)
            at += 1


def check_columns(rows, sequence, where):
    """Raises Error where the first row is another sequence, or a row has another number of columns."""
    length = len(sequence)
    for header, row in rows:
        if len(row.translate(LOWER)) != length:
            found = len(row.translate(LOWER))
            raise Error(f"{where}: row {header.split(' ')[0]!r} has {found} columns, expected the {length} of the chain")
        if re.search(r"[^A-Za-z-]", row):
            found = re.search(r"[^A-Za-z-]", row)[0]
            raise Error(f"{where}: row {header.split(' ')[0]!r} has {found!r}, expected letters and -")
