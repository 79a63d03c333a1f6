#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on translation: random genomes in random forms and with random options against tests/sixframe.py, programs that translate
themselves against a pipe, damaged genomes. Each method is one try; self.r is its random source."""
import gzip
import io
import os
import shutil

import sixframe
from attack_kit import FILTERS, content, need, plain, run, same_text, write

LETTERS = ("ACGT", "ACGT", "ACGT", "acgtACGU", "N", "n", "A", "ACGTRYMKSWHBVDN", "ryswkmACGT", "ACG", "TTAAGG", "TA")
THREADS, BATCHES = "1237", ("1", "100", "5K", "200K", "1G")


class Translate:
    def translate(self):
        """sixframe has the ORFs of a plain reference; --translate has what a pipe of two programs has; damage is told."""
        kind = self.r.choice(("orfs",) * 6 + ("pipe",) * 2 + ("damaged",) * 2)
        getattr(self, "translate_" + kind)()

    # ---- genomes ----

    def bases(self, length):
        out = []
        while len(out) < length:
            out += self.r.choices(self.r.choice(LETTERS), k=self.r.randint(1, max(1, length // self.r.choice((1, 3, 10)))))
        return "".join(out[:length])

    def genome(self):
        """Records: names, descriptions, bases; some of none or few bases, at times one that comes in pieces."""
        r, records = self.r, []
        for n in range(r.choice((1, 2, 8, 30))):
            length = r.choice((r.randint(0, 5), r.randint(0, 5), r.randint(0, 70), r.randint(0, 300), r.randint(0, 4000)))
            records.append((f"r{n}", r.choice(("", "a record", "of  two blanks", "source=x coords=1..3")), self.bases(length)))
        if r.random() < 0.15:
            records.insert(r.randrange(len(records) + 1), ("long", "in pieces", self.bases(r.choice((32768, 131072, 150000, 300000)))))
        return records

    def formed(self, records, form):
        """Returns the records as a file has them."""
        width, end = self.r.choice((60, 60, 7, 10 ** 6)), "\r\n" if "crlf" in form else "\n"
        head = lambda name, desc: f"{name} {desc}" if desc else name
        if "fastq" in form:
            data = "".join(f"@{head(n, d)}{end}{b}{end}+{end}{'I' * len(b)}{end}" for n, d, b in records).encode()
        else:
            data = "".join(f">{head(n, d)}{end}" + "".join(b[i:i + width] + end for i in range(0, len(b), width))
                           for n, d, b in records).encode()
        if "packed" in form:
            return plain(["respack", "--dna"] + self.r.choice(([], ["-K", "200"])), data)
        return gzip.compress(data, 1) if "gz" in form else data

    def random_form(self):
        return self.r.choice(("fasta", "fasta crlf", "fasta gz", "fasta crlf gz", "fastq", "fastq crlf", "fastq gz", "packed"))

    def random_options(self):
        r = self.r
        words = ["-c", str(r.choice(list(sixframe.TABLES)))] if r.random() < 0.6 else []
        words += ["-l", str(r.choice((0, 1, 2, 5, 20, 50, 300)))] if r.random() < 0.7 else []
        return words + r.choice(([], [], ["-m"], ["-M"])) + r.choice(([], ["-W"])) + r.choice(([], [], ["--watson"], ["--crick"]))

    @staticmethod
    def reference(options, records):
        out = io.StringIO()
        sixframe.Translator(options).run(records, out)
        return out.getvalue().encode()

    def running(self):
        return ["-q", "-t", self.r.choice(THREADS)] + self.r.choice(([], ["-K", self.r.choice(BATCHES)]))

    # ---- a try ----

    def translate_orfs(self):
        records, options, names, forms = self.genome(), self.random_options(), [], []
        cut = sorted(self.r.choices(range(len(records) + 1), k=self.r.choice((0, 0, 1, 3))))
        for i, (a, b) in enumerate(zip([0] + cut, cut + [len(records)])):
            part = records[a:b]
            form = self.random_form() if part else "fasta"
            if not all(x[2] for x in part) and "fastq" in form:
                form = "fasta"
            write(f"part{i}", self.formed(part, form))
            names.append(f"part{i}")
            forms.append(form)
        shutil.rmtree("folder", ignore_errors=True)
        os.mkdir("folder")
        env = dict(os.environ, TMPDIR=self.r.choice((os.path.abspath("folder"), "/nowhere")))
        packed = self.r.random() < 0.3
        argv = ["sixframe"] + self.running() + options + (["-O", "packed"] if packed else [])
        fed = len(names) == 1 and self.r.random() < 0.5
        rc, out, err = run(argv + ([] if fed else names), content(names[0]) if fed else b"", env=env)
        need(rc == 0 and not err, argv, forms, rc, err)
        if packed:
            out = plain(["respack", "-O", "fasta"], out)
        want = self.reference(options, records)
        at = next((i for i, (a, b) in enumerate(zip(out, want)) if a != b), min(len(out), len(want)))
        near = slice(max(0, at - 60), at + 60)
        need(out == want, argv, forms, "differs at byte", at, "of", len(want), out[near], want[near])
        need(not os.listdir("folder"), argv, "left behind:", os.listdir("folder"))

    def genes(self):
        """Proteins that the models know, as genes among random bases."""
        r, codon = self.r, {}
        for c, residue in sixframe.CODE.items():
            codon.setdefault(residue, []).append(c)
        proteins = [b for _, _, b in sixframe.read("small.fa")]
        records = []
        for n in range(r.choice((1, 3))):
            bases = ""
            for protein in r.sample(proteins, r.choice((1, 5))):
                gene = "ATG" + "".join(r.choice(codon.get(x, ["NNN"])) for x in protein) + "TAA"
                bases += self.bases(r.randint(0, 400)) + (gene if r.random() < 0.5 else gene.translate(sixframe.OTHER)[::-1])
            records.append((f"contig{n}", "", bases))
        return records + [("few", "", "AC"), ("last", "", self.bases(500))]

    def translate_pipe(self):
        r, form = self.r, self.random_form()
        data = self.formed(self.genes(), form)
        table, least = str(r.choice(list(sixframe.TABLES))), r.choice((None, "1", "30", "100"))
        starts, strand = r.choice((None, "atg", "table")), r.choice((None, None, "watson", "crick"))
        cut = ["-W", "-c", table] + (["-l", least] if least else []) + (["-m"] if starts == "atg" else ["-M"] if starts else [])
        own = ["--translate=" + table] + (["--orf-length", least] if least else []) + (["--orf-start", starts] if starts else [])
        cut, own = cut + (["--" + strand] if strand else []), own + (["--orf-strand", strand] if strand else [])
        tool = r.choice(FILTERS + ("hmmsieve",) * 6)
        more = [["--no-provenance", "-O", r.choice(("tsv", "packed"))]]
        if tool == "hmmsieve":
            more = [["--no-provenance", "-O", "tsv"], ["--no-provenance", "-O", "gff3"], ["--no-provenance", "-O", "bed"], ["--scan"], [],
                    ["--no-provenance", "-O", "gff3", "--join"], ["--max", "-E", "1e-3", "--tblout", "table"]]
        more = r.choice(more)
        got = plain([tool] + self.running() + own + more + ["three.hmm", "-"], data)
        files = [content("table")] if "table" in more else []
        orfs = plain(["sixframe"] + self.running() + cut + ["-O", "packed", "-"], data)
        want = plain([tool] + self.running() + (["--orfs"] if tool == "hmmsieve" else []) + more + ["three.hmm", "-"], orfs)
        files += [content("table")] if "table" in more else []
        if "-O" not in more:
            got, want = same_text(got), same_text(want)
        need(got == want, tool, own, more, form, "other bytes:", len(got), "of", len(want),
             next(((a, b) for a, b in zip(got.split(b"\n"), want.split(b"\n")) if a != b), ""))
        tables = {b"\n".join(x for x in f.split(b"\n") if not x.startswith(b"#")) for f in files}
        need(len(tables) < 2, tool, own, "other tables")

    def translate_damaged(self):
        r = self.r
        form, kind = r.choice(("fasta gz", "fasta crlf gz", "fastq gz", "packed")), r.choice(("cut", "cut", "byte"))
        records = [x for x in self.genome() if x[2]] + self.genes()
        whole = self.formed(records, form)
        at = r.randrange(1, len(whole))
        data = whole[:at] if kind == "cut" else whole[:at] + bytes([whole[at] ^ 1 << r.randrange(8)]) + whole[at + 1:]
        options = self.random_options()
        argv = r.choice((["sixframe"] + options, ["sixframe", "-O", "tsv", "--no-provenance"] + options,
                         ["hmmsieve", "--translate", "three.hmm"],
                         ["msvfilt", "-a", "--no-provenance", "--translate", "three.hmm"]))
        argv = argv[:1] + self.running() + argv[1:] + ["-"]
        rc, out, err = run(argv, data)
        need(rc == 1 or (kind == "byte" and rc == 0), argv, form, kind, at, rc, err)
        need(rc == 0 or err.count(b"\n") == 1 and err.startswith(argv[0].encode() + b": "), argv, form, kind, at, err)
        need(not out or out.endswith(b"\n"), argv, form, kind, at, "half a line:", out[-80:])
        want = plain(argv, whole)
        if rc == 0:
            need(same_text(out) == same_text(want), argv, form, kind, at, "was not noticed")
        elif argv[0] != "hmmsieve" and (kind == "cut" or form == "packed"): # the checksum of gzip comes behind the text
            need(want.startswith(out) and b"\n##end" not in out, argv, form, kind, at, "rows that are not of the whole:", out[-80:])


TRANSLATE = {"translate": "translation: random genomes, forms and options; damaged genomes"}
