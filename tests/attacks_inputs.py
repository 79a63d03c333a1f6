#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on what programs read: packed streams, tables, model files, volumes. Each method is one try; self.r is its random source."""
import gzip
import io
import os
import re
import struct
import subprocess
import sys
import time

from attack_kit import FILTERS, SECONDS, TOP, content, need, plain, run, write


class Inputs:
    def spliced(self):
        """Frames of packed streams dropped, doubled, moved and mixed: what is accepted has rows of the streams alone."""
        tool = self.r.choice((["respack", "-O", "tsv"], ["vitfilt", "-a", "three.hmm"], ["fwdscore", "-a", "made.hmm"],
                              ["domscore", "made.hmm"], ["domscore", "three.hmm"], ["respack", "-O", "fasta"]))
        streams = ("pairs.wsp", "ssv.wsp", "vit.wsp", "fwd.wsp", "sequences.wsp", "fwd3.wsp")
        names = [self.r.choice(streams) for _ in range(self.r.choice((1, 1, 2)))]
        frames = [f for n in names for f in self.frames(content(n))]
        kind = self.r.choice(("cat", "drop", "double", "swap", "mix", "cut"))
        i, j = self.r.randrange(len(frames)), self.r.randrange(len(frames))
        if kind == "drop":
            del frames[i]
        elif kind == "double":
            frames.insert(i, frames[i])
        elif kind == "swap":
            frames[i], frames[j] = frames[j], frames[i]
        elif kind == "mix":
            self.r.shuffle(frames)
        data = b"".join(frames)
        if kind == "cut":
            data = data[:self.r.randrange(len(data))]
        rc, out, err = run(tool + ["--quiet", "--threads", self.r.choice("13")], data)
        need(rc in (0, 1) and (rc == 0 or err.count(b"\n") == 1), tool, names, kind, i, j, rc, err)
        changed = kind == "cut" or (kind in ("drop", "double")) or (kind in ("swap", "mix") and data != b"".join(map(content, names)))
        if rc == 0 and changed and tool == ["respack", "-O", "tsv"]: # whole streams may be exchanged, or given twice
            rows = {r for n in names for r in plain(tool, content(n)).split(b"\n") if not r.startswith(b"#")}
            need(all(r in rows for r in out.split(b"\n") if not r.startswith(b"#")), names, kind, i, j, "other rows")
            need(kind in ("swap", "mix", "double") or not data, names, kind, i, j, "of", len(frames), "was not noticed")

    @staticmethod
    def frames(data):
        starts = [i for i in range(0, len(data), 64) if data[i:i + 3] == b"\x89WS" and data[i + 4:i + 8] == b"\r\n\x1a\n"]
        return [data[a:b] for a, b in zip(starts, starts[1:] + [len(data)])]

    def cells(self):
        """A cell of a table becomes something else; packed it is the same table."""
        stage, table, model = self.r.choice((("msvfilt", "ssv.tsv", "three.hmm"), ("vitfilt", "msv.tsv", "three.hmm"),
                                             ("fwdscore", "vit.tsv", "three.hmm"), ("domscore", "fwd.tsv", "three.hmm"),
                                             ("respack", "fwd.tsv", None), ("domscore", "rows.tsv", "three.hmm")))
        lines = content(table).split(b"\n")
        head = next(i for i, x in enumerate(lines) if not x.startswith(b"##"))
        for _ in range(self.r.choice((1, 1, 3))):
            row = self.r.randrange(head, len(lines) - 1)
            cell = lines[row].split(b"\t")
            at = self.r.randrange(len(cell))
            other = self.r.choice(lines[head:-2]).split(b"\t")
            cell[at] = self.r.choice((b"", b"0", b"-1", b"1", b"18446744073709551616", b"9223372036854775807", b"4294967295", b"nan",
                                      b"inf", b"-inf", b"1e400", b"x", b"+", b"-", b"\xff", b"1.5", cell[0], other[min(at,
                                      len(other) - 1)]))
            lines[row] = b"\t".join(cell[:-1] if self.r.random() < 0.05 else cell)
        argv = [stage] + self.r.choice(([], ["-O", "packed"] if stage != "domscore" else ["-O", "tblout"])) + ([model] if model else [])
        rc, out, err = run(argv + ["--quiet", "--threads", self.r.choice("13")], b"\n".join(lines))
        need(rc in (0, 1) and (rc == 0 or err.count(b"\n") == 1), argv, table, lines[row][-300:], rc, err)
        if rc == 0 and "packed" not in argv and stage != "respack" and b"\tquery\t" in lines[head]:
            packed = plain(["respack", "--quiet", "-K", "1000"], b"\n".join(lines))
            again = run(argv + ["--quiet", "-K", "2000"], packed)
            need(again == (0, out, b""), argv, table, lines[row][-300:], "packed pairs give other rows")

    def changed(self):
        """A model file becomes another one of the same names and lengths while a program reads it: all rows are of one of them."""
        tool = self.r.choice(FILTERS * 2 + ("domscore", "hmmsieve", "nhmmsieve"))
        old = content("made.hmm" if tool == "nhmmsieve" else "three.hmm")
        new = re.sub(rb"(?m)^( +[0-9]+ +)2\.", rb"\g<1>1.", old)
        name = {"domscore": "fwd3.wsp", "nhmmsieve": "dna.fa", "hmmsieve": "demo.fa"}.get(tool, "rows.tsv")
        argv = [tool, "--no-provenance", "-O", "tsv", "moving.hmm", "-"]
        data = b"".join(x for x in content(name).splitlines(True) if not x.startswith(b"##"))
        if tool in FILTERS:
            argv[1:1] = ["-a", "-K", "100", "--mem", self.r.choice(("1M", "20M", "1G")), "-t", self.r.choice("13")]
        if tool == "domscore":
            argv[1:1] = ["-E", "1e9", "-Z", "400"]
            data = b"".join(x for x in plain(["respack", "-O", "tsv"], content(name)).splitlines(True) if not x.startswith(b"##"))
        wants = []
        for version in (old, new):
            write("moving.hmm", version)
            if (tool, version) not in self.known:
                self.known[tool, version] = plain(argv, data)
            wants.append(self.known[tool, version])
        need(wants[0] != wants[1] and len(old) == len(new), tool, "has the same rows with both versions")
        write("moving.hmm", old)
        kind, at = self.r.choice(("overwrite", "rename", "truncate", "some bytes")), self.r.randrange(len(data))
        p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=open("moved.out", "wb"), stderr=subprocess.PIPE)
        time.sleep(self.r.random() * 0.01)
        try:
            p.stdin.write(data[:at])
            p.stdin.flush()
            time.sleep(self.r.random() * self.r.choice((0.003, 0.1)))
            if kind == "rename":
                write("new.hmm", new)
                os.rename("new.hmm", "moving.hmm")
            elif kind == "truncate":
                os.truncate("moving.hmm", self.r.randrange(len(old)))
            else:
                begin = 0 if kind == "overwrite" else self.r.randrange(len(old))
                with open("moving.hmm", "r+b") as f:
                    f.seek(begin)
                    f.write(new[begin:])
            p.stdin.write(data[at:])
            p.stdin.close()
        except BrokenPipeError:
            pass
        err, rc, out = p.stderr.read(), p.wait(SECONDS), content("moved.out")
        late = [run(argv, data)[1]] if rc == 0 and out not in wants else [] # changed before it was opened
        whole = rc == 0 and out in wants + late
        need(whole or rc == 1 and b"moving.hmm" in err and err.count(b"\n") == 1 and
             (tool in ("hmmsieve", "domscore") or any(w.startswith(out) for w in wants)), argv, kind, at, rc, err, len(out))

    def python(self):
        """Records with odd names and texts come out of warpsieve.read_table's reader as they were, also of tables that are joined."""
        sys.path.insert(0, os.path.join(TOP, "packaging", "python"))
        import warpsieve
        letters = "#\"'\\,;|0123456789.eE+-NAnameseqrecord=é\xa0 "
        names = ["".join(self.r.choices(letters.strip(), k=self.r.choice((1, 2, 3, 9)))) for _ in range(20)]
        names += self.r.choices(("#name", "##end", "##record", "##warpsieve", "name", "##", "#", "NaN", "007", "##name"), k=3)
        texts = ["".join(self.r.choices(letters, k=9)).strip(" \xa0") for _ in names]
        data = "".join(f">{n} {t}\nMKVLAAGIVG\n" for n, t in zip(names, texts)).encode()
        one = plain(["msvfilt", "-a", "--quiet"] + self.r.choice(([], ["--no-provenance"], ["--header=plain"])) + ["demo.hmm"], data)
        rows = warpsieve._Rows(io.TextIOWrapper(io.BytesIO(one * 2), encoding="utf-8", newline="\n"), False)
        got = [x.split("\t") for x in rows.read().split("\n")[:-1]]
        need([x[0] for x in got] == 2 * names, names, [x[0] for x in got])
        need([x[3].strip() for x in got] == [t.strip() for t in 2 * texts], texts, [x[3] for x in got])

    def orfs(self):
        """Descriptions of ORFs are changed: each is refused by its name, or read as a plain pattern reads it."""
        lines = content("orfs.fa").split(b"\n")
        heads = [i for i, x in enumerate(lines) if x.startswith(b">")]
        lines = lines[:heads[300]]
        at = self.r.choice(heads[:300])
        head = lines[at]
        word = self.r.choice((b"source=", b"coords=", b"..", b"length=", b"frame=", b"desc=", b" ")) if self.r.random() < 0.5 else b""
        i = head.index(word) if word else self.r.randrange(head.index(b" ") + 1, len(head))
        new = self.r.choice((b"", b"0", b"-1", b"9" * 20, b" ", b"x", b"..", b"=", b"1e3", b"4", b"source=d coords=1..3 ",
                             b"\x80"))
        lines[at] = head[:i] + new + head[i + self.r.choice((0, 1, len(word))):]
        name, _, desc = lines[at][1:].partition(b" ")
        desc = desc.lstrip()
        residues = len(b"".join(lines[at + 1:next((h for h in heads if h > at), len(lines))]))
        m = re.match(rb"source=[^ ]+ coords=([1-9]\d{0,17})\.\.([1-9]\d{0,17}) length=([1-9]\d{0,17}) frame=([1-6]) desc=", desc)
        a, b, n, f = map(int, m.groups()) if m else (1, 1, 1, 1)
        fine = bool(m) and abs(a - b) + 1 == 3 * n and n == residues and (f > 3) == (a > b)
        tool = self.r.choice((["hmmsieve", "--orfs", "-O", "tsv"], ["domscore", "-a", "--orfs"],
                              ["hmmsieve", "--orfs", "--join", "-O", "gff3"]))
        rc, out, err = run(tool + ["-q", "-t", self.r.choice("13"), "three.hmm"], b"\n".join(lines) + b"\n")
        need(rc == (0 if fine else 1), tool, lines[at], rc, err)
        says = tool[0].encode() + b": standard input: sequence " + re.match(rb"\w{0,30}", name)[0]
        need(fine or err.startswith(says), tool, lines[at], err)

    def ends(self):
        """A table loses its last bytes and is joined with another one, or a byte of its last line becomes another one."""
        tool, table = self.r.choice(((["respack", "-O", "tsv"], "fwd.tsv"), (["respack", "-O", "tsv"], "rows.tsv"),
                                    (["domscore", "-E", "1e9", "three.hmm"], "fwd.tsv")))
        data, n = content(table), self.r.randrange(1, 120)
        end = data.rindex(b"##end")
        kind = self.r.choice(("cut", "byte", "insert", "drop"))
        at = self.r.randrange(end, len(data))
        some = bytes([self.r.choice((self.r.randrange(256), *b"0123456789 =#-+e.\n\t"))])
        changed = {"cut": data[:-n] + data, "byte": data[:at] + some + data[at + 1:], "insert": data[:at] + some + data[at:],
                   "drop": data[:at] + data[at + 1:]}[kind]
        if changed == data:
            return
        rc, out, err = run(tool + ["--quiet"], changed)
        need(rc in (0, 1) and (rc == 0 or err.count(b"\n") == 1), tool, table, kind, at, some, rc, err)
        line = changed[end:].split(b"\n")[0]
        says = re.fullmatch(rb"##end rows=([0-9]+)( in=([0-9]+) residues=([0-9]+))?", line)
        rows = len([x for x in data[:end].split(b"\n") if x and not x.startswith(b"#")])
        lies = not says or int(says[1]) < rows or says[2] and not int(says[3]) * int(says[4])
        need(rc == 1 or kind != "cut" and not lies, tool, table, kind, at, some, "was taken as whole:", line)

    def volumes(self):
        """Numbers of a NIfTI-1 header become others; the voxels may be compressed, cut or followed by more."""
        data = bytearray(content("slab.nii"))
        for _ in range(self.r.choice((1, 1, 2))):
            form, at = self.r.choice([("<h", 40 + 2 * i) for i in range(8)] + [("<h", 70), ("<h", 72), ("<i", 0)] +
                                     [("<f", n) for n in (76, 80, 84, 88, 108, 112, 116, 256, 280)] +
                                     [("<4s", 344), ("<h", 252), ("<h", 254)])
            odd = {"<h": (0, 1, -1, 2, 32767, -32768, 511, 64), "<i": (0, 348, 540, -1, 0x5c010000),
                   "<4s": (b"ni1\0", b"n+2\0", b"n+1\1", b"    "),
                   "<f": (0.0, -1.0, float("nan"), float("inf"), 1e38, 352.0, 353.5, 1e-45, 4e9)}[form]
            struct.pack_into(form, data, at, self.r.choice(odd))
        data = bytes(data) if self.r.random() < 0.7 else bytes(data[:self.r.randrange(len(data))])
        data += self.r.choice((b"", b"", b"\0" * 100))
        data = gzip.compress(data, 1) if self.r.random() < 0.3 else data
        argv = ["mrfseg", "--classes", "3", "--sweeps", "2", "--quiet"]
        argv += self.r.choice(([], ["-O", "nii"], ["--seed", "1,1,1", "--labels", "x.nii", "--boundary"]))
        began = time.process_time()
        rc, out, err = run(argv, data, limit=2 << 30)
        need(rc in (0, 1) and (rc == 0 or err.count(b"\n") == 1), argv, "header", data[:352].hex(), rc, err)
        need(time.process_time() - began < 10, argv, "took long")

    def lie(self, text, places):
        """A number of a text, at one of the places that a pattern finds, becomes another one."""
        m = self.r.choice(list(re.finditer(places, text)))
        odd = (b"0", b"-1", b"1", b"4294967295", b"4294967297", b"18446744073709551616", b"99999999999999999999", b"1e3", b"2.5", b"", b"x",
               b"%d" % (int(m[0]) + 1), b"%d" % max(0, int(m[0]) - 1))
        return text[:m.start()] + self.r.choice(odd) + text[m.end():]

    def answered(self, argv, data, what):
        """Runs a command on input that may be damaged: an answer, or one sentence, in bounded time and memory."""
        began = time.process_time()
        rc, out, err = run(argv, data, limit=2 << 30)
        need(rc in (0, 1) and (rc == 0 or err.count(b"\n") == 1), argv, what, rc, err)
        need(time.process_time() - began < 20, argv, what, "took long")
        return rc, out, err

    def regions(self):
        """pairhmm: counts that lie, regions that are cut and joined, lines that are dropped, doubled or swapped."""
        data, argv = content("regions"), ["pairhmm", "-O", "matrix", "--quiet", "--threads", self.r.choice("13")]
        lines, kind = data.splitlines(True), self.r.choice(("lie", "cut", "drop", "double", "swap", "empty"))
        i, j = self.r.randrange(len(lines)), self.r.randrange(len(lines))
        if kind == "lie":
            changed = self.lie(data, rb"(?m)^[0-9]+(?= [0-9]+$)|(?<=[0-9] )[0-9]+$")
            rc, out, _ = self.answered(argv, changed, kind)
            need(rc == 1 or changed == data, kind, "was not noticed")
            return
        if kind == "cut":
            part = data[:self.r.choice((self.r.randrange(len(data)), len(b"".join(lines[:i]))))]
            rc, alone, _ = self.answered(argv, part, kind)
            joined, out, _ = self.answered(argv, part + data, kind)
            if part.endswith(b"\n") or not part:
                need(joined == rc and (rc or out == alone + self.want(argv[:4], "regions")), kind, len(part), rc, joined)
            return
        if kind == "drop":
            del lines[i]
        elif kind == "double":
            lines.insert(i, lines[i])
        elif kind == "empty":
            lines[i] = b"\n"
        else:
            lines[i], lines[j] = lines[j], lines[i]
        rc, out, _ = self.answered(argv, b"".join(lines), kind)
        heads = [x for x in lines if re.fullmatch(rb"[0-9]+ [0-9]+\n", x)]
        answers = [x for x in out.splitlines(True) if re.fullmatch(rb"[0-9]+ [0-9]+\n", x)]
        need(rc or kind == "swap" or answers == heads, kind, i, "rows are lost")

    def placement(self):
        """papara-score: alignments, trees and reads that lie, are cut, joined or changed in a byte."""
        names = ["ref.phy", "ref.nwk", "reads.fasta"]
        which, kind = self.r.choice(names), self.r.choice(("lie", "cut", "join", "byte", "drop"))
        data = content(which)
        if kind == "lie" and which != "ref.phy": # which has the only counts
            kind = "byte"
        if kind == "lie":
            changed = self.lie(data, rb"\A *[0-9]+|(?<=[0-9] )[0-9]+(?=\n)")
        elif kind == "cut":
            changed = data[:self.r.randrange(len(data))]
        elif kind == "join":
            changed = data[:self.r.randrange(len(data))] + data
        elif kind == "drop":
            lines = data.splitlines(True)
            del lines[self.r.randrange(len(lines))]
            changed = b"".join(lines)
        else:
            at = self.r.randrange(len(data))
            changed = data[:at] + bytes([self.r.choice((self.r.randrange(256), *b"(),:;-\n \t>"))]) + data[at + 1:]
        write("odd.in", changed)
        argv = ["papara-score", "--quiet", "--threads", self.r.choice("13")] + ["odd.in" if n == which else n for n in names]
        rc, _, _ = self.answered(argv, b"", (which, kind))
        alone = which != "reads.fasta" and changed.strip() != data.strip()
        need(rc == 1 or not (alone and kind in ("lie", "join", "drop")), which, kind, "was not noticed:", changed)

    def shapes(self):
        """pairhmm and papara-score: extreme shapes give the same bytes from every backend, thread count and batch."""
        r = self.r
        word = lambda n, letters="ACGT": "".join(r.choices(letters, k=n))
        if r.random() < 0.5:
            reads, haps = r.choice(((1, 1), (1, 300), (300, 1), (40, 3), (3, 40)))
            text = ""
            for _ in range(r.choice((1, 2, 5))):
                hap = word(r.choice((1, 2, 31, 32, 33, 150, 900)))
                text += f"{reads} {haps}\n"
                for _ in range(reads):
                    n = r.choice((1, 2, 7, 8, 9, 64, 251))
                    text += " ".join([word(n, "ACGTN")] + [word(n, "!+5?IJ") for _ in range(4)]) + "\n"
                text += "".join((hap if r.random() < 0.5 else word(r.choice((1, 5, 40, 400)))) + "\n" for _ in range(haps))
            argv, data = ["pairhmm", "-O", "matrix", "--quiet"], text.encode()
        else:
            taxa, columns = r.choice((3, 4, 9, 30)), r.choice((1, 2, 17, 64, 300))
            write("shape.phy", f"{taxa} {columns}\n".encode() + "".join(f"t{i} {word(columns, 'ACGT-N')}\n" for i in range(taxa)).encode())
            tree = [f"t{i}:0.{r.randrange(1, 9)}" for i in range(taxa)]
            while len(tree) > 3:
                a, b = tree.pop(r.randrange(len(tree))), tree.pop(r.randrange(len(tree)))
                tree.append(f"({a},{b}):0.{r.randrange(1, 9)}")
            write("shape.nwk", f"({','.join(tree)});\n".encode())
            data = "".join(f">r{i}\n{word(r.choice((1, 2, 8, 60, 500)))}\n" for i in range(r.choice((1, 3, 40)))).encode()
            argv = ["papara-score", "--quiet", "--no-provenance", "shape.phy", "shape.nwk"]
        want = self.answered(argv[:1] + ["--backend", "scalar", "--threads", "1"] + argv[1:], data, "scalar")
        for more in (["--threads", "3"], ["-K", r.choice(("1", "300", "100K"))], ["--backend", "avx2"]):
            need(run(argv[:1] + more + argv[1:], data) == want, argv, more, "differs:", data[:200])
