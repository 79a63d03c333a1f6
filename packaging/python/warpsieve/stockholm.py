# SPDX-License-Identifier: MIT
"""The alignment of all included domains of a TopHits in Stockholm's form, as hmmsearch -A has it: what lib/hits/msa.c writes."""

import struct


def _single(x):
    """Returns the number in single precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


POSTERIOR = {c: _single(i / 10) for i, c in enumerate("0123456789")}
POSTERIOR.update({"0": _single(0.01), "*": 1.0})


class _Row:
    """An included domain: its residues by node, and what is inserted behind each node."""

    def __init__(self, hit, domain):
        a = domain.alignment
        self.name, self.accession = f"{hit._name}/{a.target_from}-{a.target_to}", hit._accession
        self.description = "[subseq from] " + (hit.description or hit._name)
        self.nodes, self.inserts, k = {}, {}, a.hmm_from - 1
        for model, residue, pp in zip(a.hmm_sequence, a.target_sequence, a.posterior_probabilities):
            if model == ".":
                self.inserts.setdefault(k, []).append((residue.lower(), pp))
            else:
                k += 1
                if residue != "-":
                    self.nodes[k] = (residue.upper(), pp)

    def columns(self, nodes, width):
        """Returns the row and its posteriors."""
        row, pps = [], []
        for k in nodes:
            residue, pp = self.nodes.get(k, ("-", "."))
            row.append(residue)
            pps.append(pp)
            there = self.inserts.get(k, [])
            empty = [(".", ".")] * (width[k] - len(there))
            half = len(there) // 2 if width[k] > 1 else len(there)
            for residue, pp in there[:half] + empty + there[half:]:
                row.append(residue)
                pps.append(pp)
        return "".join(row), "".join(pps)


def _code(p):
    """Returns the character of a posterior."""
    return "*" if p + 0.05 >= 1 else str(int((p + 0.05) * 10))


def _unique(rows):
    names = [row.name for row in rows]
    if len(set(names)) == len(names):
        return names
    digits = len(str(len(names)))
    return [f"{i:0{digits}d}|{name}" for i, name in enumerate(names)]


def stockholm(hits, all_consensus_cols=True):
    """Returns the alignment as bytes; see TopHits.to_msa."""
    rows = [_Row(hit, d) for hit in hits if hit.included for d in hit.domains if d.included]
    if not rows:
        raise ValueError("no domain is included, so there is no alignment")
    nodes = range(1, hits._nodes + 1)
    if not all_consensus_cols or hits.long_targets:
        nodes = [k for k in nodes if any(k in row.nodes for row in rows)]
    width = {k: max(len(row.inserts.get(k, ())) for row in rows) for k in nodes}
    rf = "".join("x" + "." * width[k] for k in nodes)
    cons = []
    for k in nodes:
        here = [POSTERIOR[row.nodes[k][1]] for row in rows if k in row.nodes]
        cons.append((_code(_single(sum(here) / len(here))) if here else ".") + "." * width[k])
    names = _unique(rows)
    W = max(len(name) for name in names)
    head = [f"#=GF ID {hits._name}"] + [f"#=GF {tag} {text}" for tag, text in (("AC", hits._accession), ("DE", hits._description)) if text]
    warning = ["# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\""] if names[0] != rows[0].name else []
    lines = ["# STOCKHOLM 1.0", *warning, *head, "#=GF AU warpsieve", ""]
    lines += [f"#=GS {name:{W}} AC {row.accession}" for name, row in zip(names, rows) if row.accession]
    lines += [f"#=GS {name:{W}} DE {row.description}" for name, row in zip(names, rows)] + [""]
    for name, row in zip(names, rows):
        residues, pps = row.columns(nodes, width)
        lines += [f"{name:{W + 8}} {residues}", f"#=GR {name:{W}} PP {pps}"]
    lines += [f"#=GC {'PP_cons':{W + 3}} {''.join(cons)}", f"#=GC {'RF':{W + 3}} {rf}", "//", ""]
    return "\n".join(lines).encode("utf-8", "surrogateescape")
