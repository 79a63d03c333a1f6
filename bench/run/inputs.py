# SPDX-License-Identifier: MIT
"""The inputs of bench/rows.txt, each made when the first row asks for it: a method of Inputs for each @NAME.

Real data come from a folder with the proteomes and padloc-250.hmm.gz. A checkout without it has its demo alone: then
proteomes are its 400 proteins again and again, and models are made of them."""
import glob
import gzip
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(HERE)


class Missing(Exception):
    """Says that an input or a program is not there, or cannot be made."""


def text_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        return f.read()


class Inputs:
    def __init__(self, folder, data, env, pfam):
        """`folder` takes what is made; `env` finds programs; `pfam` is a file of Pfam's models, or None."""
        self.folder, self.data, self.env, self.pfam_file = folder, data, env, pfam
        self.demo = not (data and glob.glob(os.path.join(data, "*E.coli*")))
        self.kept = {}

    def get(self, name):
        """Returns the path of an input; raises Missing."""
        if name not in self.kept:
            repeated = re.fullmatch(r"(ecoli|yeast|marv)(\d+)x", name)
            queries = re.fullmatch(r"yeast(\d+)", name)
            try:
                if repeated:
                    self.kept[name] = self.copies(name, repeated[1], int(repeated[2]))
                elif queries:
                    self.kept[name] = self.every(name, int(queries[1]))
                else:
                    self.kept[name] = getattr(self, name)()
            except Missing as e:
                self.kept[name] = e
        if isinstance(self.kept[name], Missing):
            raise self.kept[name]
        return self.kept[name]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run(self, side, *command, **kind):
        """Runs a program of a side, "warpsieve" or "HMMER"; returns what it wrote."""
        program = self.env.find(side, command[0])
        return subprocess.run([program, *command[1:]], check=True, capture_output=True, text=True, **kind).stdout

    # ---- proteins ----

    def proteome(self, kind, times):
        if self.demo:
            demo = text_of(os.path.join(TOP, "tests", "data", "demo.fa.gz"))
            return self.write(kind + ".fa", "".join(demo.replace(">", f">{k}.") for k in range(times)))
        return self.write(kind + ".fa", text_of(glob.glob(os.path.join(self.data, f"*{kind}*"))[0]))

    def ecoli(self):
        return self.proteome("E.coli", 8)

    def yeast(self):
        return self.proteome("S.cerevisiae", 18)

    def copies(self, name, of, times):
        if of == "marv":
            return self.marv(name, times)
        source = text_of(self.get(of))
        path = os.path.join(self.folder, name + ".fa")
        with open(path, "w") as f:
            for k in range(times):
                f.write(source.replace(">", f">{k}."))
        return path

    def marv(self, name, times):
        self.env.find("MMseqs2-GPU", "align")
        os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        base = os.path.join(self.folder, name, "db")
        self.run("MMseqs2-GPU", "makedb", self.get(f"ecoli{times}x"), base)
        return base

    def records(self):
        return text_of(self.get("yeast")).split(">")[1:]

    def every(self, name, most):
        """So many proteins of yeast, from all over its file."""
        records = self.records()
        step = max(1, len(records) // most)
        return self.write(name + ".fa", "".join(">" + r for r in records[step - 1::step][:most]))

    def yeast200sto(self):
        """The proteins of yeast200 as alignments of one row, as hmmbuild wants them."""
        text = []
        for record in text_of(self.get("yeast200")).split(">")[1:]:
            head, _, residues = record.partition("\n")
            name = head.split()[0]
            text.append(f"# STOCKHOLM 1.0\n#=GF ID {name}\n{name} {residues.replace(chr(10), '')}\n//\n")
        return self.write("yeast200.sto", "".join(text))

    # ---- models ----

    def padloc(self):
        if self.demo:
            first = "".join(">" + r for r in self.records()[:250])
            return self.write("padloc.hmm", self.run("warpsieve", "hmmcast", "--amino", "--informat", "fasta", "-", input=first))
        return self.write("padloc.hmm", text_of(os.path.join(self.data, "padloc-250.hmm.gz")))

    def models(self):
        return [m + "//\n" for m in text_of(self.get("padloc")).split("//\n")[:-1]]

    def padloc50(self):
        return self.write("padloc50.hmm", "".join(self.models()[::5]))

    def padlocours(self):
        return self.write("ours.hmm", text_of(self.get("padloc")))

    def padlochers(self):
        return self.write("hers.hmm", text_of(self.get("padloc")))

    def pressed(self):
        path = self.write("pressed.hmm", text_of(self.get("padloc")))
        self.run("HMMER", "hmmpress", "-f", path)
        return path

    def model170(self):
        nearest = min(self.models(), key=lambda m: abs(int(re.search(r"\nLENG +(\d+)", m)[1]) - 170))
        return self.write("model170.hmm", nearest)

    def consensus50(self):
        return self.write("consensus50.fa", self.run("HMMER", "hmmemit", "-c", self.get("padloc50")))

    def emitted(self):
        return self.write("emitted.fa", self.run("HMMER", "hmmemit", "-N", "2000", "--seed", "1", self.get("model170")))

    def pfam(self):
        """The first 1,200 models of PFAM, text or binary, as binary."""
        if not self.pfam_file:
            raise Missing("no file of Pfam's models was given (PFAM=FILE)")
        with open(self.pfam_file, "rb") as f:
            text = f.read(6).startswith(b"HMMER3")
        if text:
            models = text_of(self.pfam_file)
        else:
            models = self.run("HMMER", "hmmconvert", self.pfam_file)
        at = [m.end() for m in re.finditer(r"^//\n", models, re.M)]
        if len(at) < 1200:
            raise Missing(f"{self.pfam_file} has {len(at)} models, and the row wants 1,200")
        text = self.write("pfam.hmm", models[:at[1199]])
        with open(os.path.join(self.folder, "pfam.h3m"), "wb") as f:
            subprocess.run([self.env.find("HMMER", "hmmconvert"), "-b", text], check=True, stdout=f)
        return f.name

    # ---- DNA ----

    def dna2(self):
        return self.write("dna2.hmm", "".join(text_of(os.path.join(TOP, "tests", "data", "golden", "dna-models", n))
                                              for n in ("MADE1.hmm.gz", "3box.hmm.gz")))

    def dna16(self):
        rnd = random.Random(2)
        genes = "".join(f">gene{k}\n{''.join(rnd.choices('ACGT', k=600 + 150 * (k % 9)))}\n" for k in range(14))
        made = self.run("warpsieve", "hmmcast", "--dna", "--singlemx", "--informat", "fasta", "-", input=genes)
        return self.write("dna16.hmm", text_of(self.get("dna2")) + made)

    def genome(self, models, megabases, copies):
        """Random bases, and copies of what the models emit: a tenth of the bases changed, at random places."""
        rnd = random.Random(1)
        bases = bytearray(rnd.randbytes(megabases * 1000000).translate(bytes(b"ACGT"[i & 3] for i in range(256))))
        emitted = self.run("HMMER", "hmmemit", "-N", str(copies), "--seed", "1", models)
        for record in emitted.split(">")[1:]:
            residues = record.partition("\n")[2].replace("\n", "").upper().replace("U", "T").encode()
            at = rnd.randrange(len(bases) - len(residues))
            bases[at:at + len(residues)] = residues
        name = f"genome{megabases}.fa"
        with open(os.path.join(self.folder, name), "wb") as f:
            for k, at in enumerate(range(0, len(bases), 8000000)):
                part = bases[at:at + 8000000]
                f.write(b">part%d\n" % k + b"\n".join(bytes(part[i:i + 80]) for i in range(0, len(part), 80)) + b"\n")
        return os.path.join(self.folder, name)

    def genome20(self):
        return self.genome(self.get("dna2"), 20, 500)

    def genome63(self):
        return self.genome(self.get("dna16"), 63, 150)

    # ---- relatives ----

    def script(self, name, *argument):
        return subprocess.run([sys.executable, os.path.join(HERE, "run", name), *argument], check=True, capture_output=True, text=True)

    def regions(self):
        return self.write("regions.in", self.script("pairhmm-make.py", "device", "2e9").stdout)

    def tree(self):
        folder = os.path.join(self.folder, "tree")
        self.script("papara-make.py", "320", "1200", "500", "100", "250", folder)
        return folder
