# SPDX-License-Identifier: MIT
"""Which of the structures that were found become templates, by AlphaFold 3's rules, and which residue stands beside which."""
import re

from .. import Error

HIT = re.compile(r"([a-z0-9]{4,})_(\w+)/(\d+)-(\d+) .* length:(\d+)\b.*")
AT_MOST = 4
LEAST_RESIDUES = 10
LEAST_SHARE = 0.1
COPY = 0.95  # of the query's length: a hit that is longer and a part of the query is left out


def chosen(sequence, rows, store, latest, log):
    """Returns the templates of a chain: at most four, each with its mmCIF and the places of its residues.

    `rows` are the hits, best first; `latest` is a date. Raises Error for a row whose header is not that of PDB's sequences.
    """
    templates, seen, absent = [], set(), []
    for header, row in rows:
        said = HIT.fullmatch(header)
        if not said:
            raise Error(f"database seqres: found the sequence {header[:60]!r}, expected headers as PDB writes them: "
                        "1abc_A mol:protein length:99")
        name, author, begin, end, length = said[1], said[2], int(said[3]) - 1, int(said[4]), int(said[5])
        file = store.file(name)
        if file is None:
            absent.append(name)
            continue
        chain = file.chain(author)
        if chain is None:
            log(f"template {name}: its mmCIF file has no polymer {author}, so it is left out")
            continue
        date = file.release_date()
        if date is None or date > latest:
            continue
        places = fitting(sequence, row, chain, begin, end, length)
        if places is None:
            continue
        as_text = ["-"] * len(sequence)
        for query, at in places.items():
            as_text[query] = chain.sequence[at]
        if "".join(as_text) in seen:
            continue
        seen.add("".join(as_text))
        templates.append({"mmcif": chain.text(), "queryIndices": list(places), "templateIndices": list(places.values())})
        if len(templates) == AT_MOST:
            break
    if absent:
        log(f"templates of {sequence[:12]}...: left out without an mmCIF file: {len(set(absent))}, the first is {absent[0]}")
    return templates


def fitting(sequence, row, chain, begin, end, length):
    """Returns the places in the structure for those in the query, or None where the hit is no template."""
    found = row.upper().replace("-", "")
    if len(found) != end - begin:
        raise Error(f"database seqres: a row of {chain.file.name}_{chain.author} has {len(found)} residues, expected {end - begin}")
    if len(found) / len(sequence) > COPY and found in sequence:
        return None
    if len(found) < LEAST_RESIDUES:
        return None
    places = columns(row)
    if found != chain.sequence[begin:end] and length != len(chain.sequence):
        places = realigned(found, begin, end, length, chain.sequence, places)
        if places is None:
            return None
    else:
        places = {query: at + begin for query, at in places.items()}
    if not set(places.values()) - set(chain.unresolved) or len(places) / len(sequence) <= LEAST_SHARE:
        return None
    return places


def columns(row):
    """Returns for each column of the query with a residue which residue of the hit it is."""
    places, query, at = {}, 0, 0
    for c in row:
        if c.isupper():
            places[query] = at
        query += not c.islower()
        at += c != "-"
    return places


def realigned(found, begin, end, length, structure, places):
    """Returns the places where a structure has fewer residues than its sequence in seqres, or None where it has more.

    It tries all numbers of residues that may be lost before the hit, and takes the one after which most residues agree.
    """
    lost = length - len(structure)
    if lost < 0:
        return None
    best, score, start = places, -1, 0
    for before in range(min(begin, lost) + 1):
        mapped, agree = walked(found, structure[begin - before:end - before], lost - before)
        if agree >= score:
            best, score, start = {q: mapped[at] for q, at in places.items() if at in mapped}, agree, begin - before
    return {query: at + start for query, at in best.items()}


def walked(found, structure, lost):
    """Returns which residue of the structure each of the hit is, and how many agree; up to `lost` of the hit are skipped."""
    mapped, agree, i = {}, 0, 0
    for k, c in enumerate(structure):
        if i >= len(found):
            break
        if found[i] != c:
            skip = next((n for n in range(lost + 1) if found[i + n:i + n + 1] == c), 0)
            i, lost = i + skip, lost - skip
        mapped[i] = k
        agree += found[i] == c
        i += 1
    return mapped, agree
