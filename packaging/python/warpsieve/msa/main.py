# SPDX-License-Identifier: MIT
"""The program: its options, what is searched next, and what is finished."""
import argparse
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time

from .. import Error, program
from . import a3m, chains, databases, engine, mmcif, outputs, passes, plot, residues, templates

STATE = ".warpsieve-msa"
POLL = 1.0


class Version(argparse.Action):
    """Prints the version of the programs that search, and ends."""

    def __call__(self, parser, *_):
        text = subprocess.run([program("jacksieve"), "--version"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
        print(text.replace("jacksieve", "warpsieve-msa", 1), end="")
        parser.exit()


def options_of(words):
    """Returns what the command line says."""
    p = argparse.ArgumentParser(prog="warpsieve-msa", description="Make the alignments that structure prediction needs, for many chains in "
                                "one pass over each database.", epilog="The manual: man warpsieve-msa")
    p.add_argument("inputs", nargs="*", metavar="INPUT", help="FASTA, AlphaFold 3's input JSON, or a folder of these")
    p.add_argument("-o", "--output", required=True, metavar="DIR", help="write there")
    p.add_argument("--to", choices=outputs.FORMS, default="json", help="AlphaFold 3's data JSON, A3M or Stockholm files [json]")
    g = p.add_argument_group("Databases")
    g.add_argument("--db-dir", action="append", default=[], metavar="DIR", help="a folder of databases with AlphaFold 3's names")
    g.add_argument("--db", action="append", default=[], metavar="NAME=PATH",
                   help=f"a database: FASTA, .gz or packed; PATH@N is its N parts. Names: {', '.join(databases.KNOWN)}")
    g.add_argument("-Z", action="append", default=[], dest="z", metavar="NAME=N",
                   help="sequences, for RNA megabases, in a database, for E-values")
    g.add_argument("--pack", metavar="DIR", help="pack databases into DIR, once, and search the packed ones")
    g = p.add_argument_group("Input")
    g.add_argument("--fasta", choices=("auto", "protein", "rna"), default="auto", help="what records of FASTA are [auto: by their letters]")
    g.add_argument("--modified", action="append", default=[], metavar="CODE=LETTER", help="search the modified residue CODE as LETTER")
    g.add_argument("--part", default="1/1", metavar="I/N", help="do jobs I, I+N and so on of the inputs, for N runs")
    g.add_argument("--watch", metavar="DIR", help="go on with what arrives in DIR, until Ctrl-C")
    g = p.add_argument_group("Templates")
    g.add_argument("--mmcif", metavar="DIR", help="the folder or .tar of mmCIF files, for templates [mmcif_files of --db-dir]")
    g.add_argument("--max-template-date", default="2021-09-30", metavar="DATE", help="no templates released after it [2021-09-30]")
    g.add_argument("--no-templates", action="store_true", help="search no templates: their lists are empty")
    g = p.add_argument_group("Running")
    g.add_argument("--at-once", type=int, default=500, metavar="N", help="chains in a pass at most [500]")
    g.add_argument("--plot", action="store_true", help="draw the depth along each chain into DIR/plots; needs matplotlib")
    g.add_argument("-t", "--threads", type=int, metavar="N", help="threads [all cores]")
    g.add_argument("--mem", metavar="SIZE", help="as --mem of jacksieve")
    g.add_argument("--backend", metavar="NAME", help="as --backend of jacksieve")
    g.add_argument("--device", metavar="LIST", help="devices, for example 0,1 or all")
    g.add_argument("--gpu-mem", metavar="SIZE", help="at most this much memory of each device")
    g.add_argument("-q", "--quiet", action="store_true", help="no log and no progress")
    p.add_argument("--version", action=Version, nargs=0, help="show the version of the programs that search")
    said = p.parse_args(words)
    if not said.inputs and not said.watch:
        p.error("expected an INPUT or --watch DIR")
    if said.at_once < 1 or (said.threads is not None and said.threads < 1):
        p.error("--at-once and --threads take numbers from 1")
    part = re.fullmatch(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,8})", said.part)
    if not part or int(part[1]) > int(part[2]):
        p.error(f"--part {said.part}: expected I/N, such as 2/8, with I from 1 to N")
    if int(part[2]) > 1 and said.watch:
        p.error("--part and --watch are both there: jobs that arrive have no number, so they cannot be parted")
    said.part = int(part[1]), int(part[2])
    return said


class Run:
    """A run over all inputs. `jobs` are those that are not finished, by the path of what they leave. `others` are the files
    of the jobs of other parts, by the same path."""

    def __init__(self, said):
        self.said, self.out, self.form = said, said.output, said.to
        self.options = engine.Options(said.threads, said.mem, said.backend, said.device, said.gpu_mem, said.quiet)
        self.databases, found = databases.listed(said.db_dir, said.db, said.z)
        folder = said.mmcif or found
        self.store = mmcif.Store(folder) if folder and not said.no_templates and said.to == "json" else None
        if self.store is None or "seqres" not in {d.name for d in self.databases}:
            self.store, self.databases = None, [d for d in self.databases if d.name != "seqres"]
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", said.max_template_date):
            raise Error(f"--max-template-date {said.max_template_date}: expected a date such as 2021-09-30")
        if not self.databases:
            raise Error("no database is given: --db-dir names a folder of AlphaFold 3's databases, --db NAME=PATH a file")
        if said.watch and os.path.isfile(said.watch):
            raise Error(f"--watch {said.watch}: it is a file, expected a folder")
        self.pyplot = plot.library() if said.plot else None
        if said.part[1] > 1 and os.path.realpath(self.out) in [os.path.realpath(path) for path in said.inputs]:
            raise Error(f"{self.out}: it is also an input, and with --part what is written would count as jobs; expected another folder")
        self.jobs, self.others, self.read, self.refused, self.finished, self.failed = {}, {}, {}, {}, 0, False
        self.count = 0
        self.began = time.monotonic()

    def log(self, text):
        """Writes a line of the log."""
        engine.clear()
        if not self.said.quiet:
            print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)

    # ---- the folder of the output ----

    def open(self):
        """Takes the folder of the output for this run alone, and compares what it was made with. Raises Error where that differs."""
        state = os.path.join(self.out, STATE)
        if os.path.exists(self.out) and not os.path.isdir(self.out):
            raise Error(f"--output {self.out}: it is a file, expected a folder, or a name that is free")
        os.makedirs(state, exist_ok=True)
        self.lock = open(os.path.join(state, "lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Error(f"{self.out}: another warpsieve-msa writes there; expected a folder for each run") from None
        self.parts = passes.Parts(os.path.join(state, "parts"))
        self.rows, self.made_of = os.path.join(state, "rows"), os.path.join(state, "made-of")
        for folder in (self.rows, self.made_of):
            os.makedirs(folder, exist_ok=True)
        self.check_made_with(os.path.join(state, "made-with.json"))
        for name in os.listdir(self.parts.folder):
            path = os.path.join(self.parts.folder, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif name.endswith(".part"):
                os.unlink(path)
        for name in os.listdir(self.out):
            if name.startswith(".") and name.endswith(".part") and os.path.isdir(os.path.join(self.out, name)):
                shutil.rmtree(os.path.join(self.out, name))

    def check_made_with(self, path):
        """Compares what this run searches with what the parts and finished jobs there were made with, and notes the former. Raises
        Error where a database, a form or structures differ of which something is there. A run that failed before leaves nothing."""
        structures = self.store and [os.path.abspath(self.store.path), self.said.max_template_date]
        now = {"to": self.form, "templates": structures, "databases": {d.name: d.state() for d in self.databases}}
        text = json.dumps(now, sort_keys=True)
        if databases.same_text(path, text):
            return
        then = databases.read_object(path)
        made = self.parts.names()
        finished = any(not name.endswith(".part") for name in os.listdir(self.rows))
        differ = finished or (bool(made) and then.get("to") != self.form)
        if made & {name for name, (kind, _, _) in databases.KNOWN.items() if kind == "template"}:  # made of the rows of all others
            made |= set(then.get("databases", {})) | set(now["databases"])
        differ |= any(then.get("databases", {}).get(name) != now["databases"].get(name) for name in made)
        if differ:
            raise Error(f"{self.out}: what lies there was made with other databases or another --to ({path} says which); "
                        "expected the same ones or another folder")
        engine.put(path, text)

    # ---- inputs ----

    def look(self):
        """Reads the inputs that are new. In a watched folder a file that cannot be read, or has no end yet, is told once and left."""
        for path in chains.files(self.said.inputs):
            if path not in self.read:
                self.take(path)
        for path in chains.files([self.said.watch], True) if self.said.watch else ():
            now = os.stat(path)
            state = (now.st_size, now.st_mtime_ns)
            if self.read.get(path) == state or self.refused.get(path) == state:
                continue
            try:
                self.take(path, state)
            except Error as e:
                self.refused[path] = state
                self.log(f"{e}; this input is left out")

    def take(self, path, state=None):
        """Takes the jobs of a file that are not finished. Raises Error where two jobs would leave one file."""
        jobs = chains.read(path, self.said.fasta)
        for job in jobs:
            to = outputs.target(self.out, job, self.form)
            source = self.jobs[to].source if to in self.jobs else self.others.get(to, path)
            if source != path:
                raise Error(f"{path}: job {job.name!r} would leave {to}, as the one of {source} does; expected other names")
            if sum(outputs.target(self.out, other, self.form) == to for other in jobs) > 1:
                raise Error(f"{path}: two jobs would leave {to}; expected other names")
            if self.form != "json" and (job.file_name[0] == "." or job.file_name in (outputs.REPORT, plot.FOLDER)):
                raise Error(f"{path}: job {job.name!r} would leave {to}, which has another use; expected another name")
            made_of = os.path.join(self.made_of, job.file_name)
            if os.path.exists(to) and os.path.exists(made_of) and not databases.same_text(made_of, job.digest):
                raise Error(f"{to} was made of another job {job.name!r} than {path} has now; remove it, and it is made anew, or give the "
                            "job another name or folder")
        for job in jobs:
            to, (part, parts) = outputs.target(self.out, job, self.form), self.said.part
            if self.count % parts != part - 1:
                self.others[to] = path
            elif not os.path.exists(to):
                self.jobs[to] = job
                for note in job.notes:
                    self.log(note)
            self.count += 1
        self.read[path] = state

    # ---- what is searched ----

    def wanted(self, database):
        """Returns the chains that lack their part of a database, each once."""
        lack = {}
        for job in self.jobs.values():
            for chain in job.chains:
                if database.kind == "template":
                    if chain.templates and not self.parts.has(chain.template_key, database.name) and self.has_alignment(chain):
                        lack[chain.template_key] = chain
                elif chain.msa and database.kind == chain.kind and not self.parts.has(chain.key, database.name):
                    lack[chain.key] = chain
        return list(lack.values())

    def has_alignment(self, chain):
        """Returns whether all searches that the templates of a chain need are done."""
        return not chain.msa or all(self.parts.has(chain.key, d.name) for d in self.databases if d.kind == chain.kind)

    def unpaired(self, chain):
        """Returns the rows that the templates of a chain are searched with."""
        if chain.own is not None:
            return list(a3m.records(chain.own.split("\n")))
        return outputs.Result(chain, self.parts, self.databases).unpaired

    def templates(self, chain, log):
        """Returns the list of templates of a chain, or None where they are not searched."""
        if self.said.no_templates:
            return []
        if self.store is None:
            return None
        return templates.chosen(chain.sequence, self.parts.rows(chain.template_key, "seqres"), self.store, self.said.max_template_date, log)

    def one_pass(self, database, lack):
        """Searches one database with chains that lack it."""
        some = lack[:self.said.at_once]
        what = f"{database.name}, {len(some)} chain{'s' * (len(some) != 1)}"
        if database.kind == "protein":
            seconds, notes = passes.proteins(database, some, self.parts, self.options, what, self.form == "sto")
        elif database.kind == "rna":
            seconds, notes = passes.rna(database, some, self.parts, self.options, what, self.form == "sto")
        else:
            seconds, notes = passes.templates(database, some, self.parts, self.options, what, self.unpaired)
        for note in notes:
            self.log(f"{what}: {note}")
        self.log(f"{what}: {seconds:.1f} s")

    # ---- what is finished ----

    def finish(self):
        """Writes the jobs that lack nothing, and forgets their parts that no other job needs."""
        done = [(to, job) for to, job in self.jobs.items() if all(self.is_complete(chain) for chain in job.chains)]
        if not done:
            return
        for (to, job), notes in zip(done, engine.spread(lambda one: self.write(one[1]), done, self.options)):
            del self.jobs[to]
            self.finished += 1
            for note in notes:
                self.log(note)
            self.log(f"wrote {to}")
        outputs.write_report(self.out, self.rows)
        self.forget()

    def write(self, job):
        """Writes all that a job leaves; returns notes for the log."""
        results, notes = {}, []
        for chain in job.chains:
            if chain.msa:
                results[chain.key] = outputs.Result(chain, self.parts, self.databases)
            if chain.templates:
                results[chain.template_key, "templates"] = self.templates(chain, notes.append)
        outputs.put_rows(self.rows, self.made_of, job, outputs.report_rows(job, results, self.parts, self.databases))
        if self.pyplot:
            plot.draw_job(self.pyplot, self.out, job, results, self.parts, self.databases)
        if self.form == "json":
            outputs.write_json(self.out, job, results)
        else:
            outputs.write_folder(self.out, job, results, self.parts, self.databases, self.form)
        return notes

    def is_complete(self, chain):
        """Returns whether all databases have been searched with a chain."""
        seqres = [d.name for d in self.databases if d.kind == "template"] if chain.templates else []
        return self.has_alignment(chain) and all(self.parts.has(chain.template_key, name) for name in seqres)

    def forget(self):
        """Removes the parts of chains that no unfinished job has."""
        kept = {key for job in self.jobs.values() for chain in job.chains for key in (chain.key, chain.template_key)}
        for name in os.listdir(self.parts.folder):
            if name.split(".")[0] not in kept and not os.path.isdir(os.path.join(self.parts.folder, name)):
                os.unlink(os.path.join(self.parts.folder, name))

    # ---- the run ----

    def go(self):
        """Makes pass after pass. Chains that arrive meanwhile join the next one."""
        self.open()
        self.look()
        self.tell()
        if self.said.pack:
            for database in self.databases:
                databases.pack(database, self.said.pack, self.log, self.options)
        self.finish()
        while True:
            worked = False
            for database in self.databases:
                while (lack := self.wanted(database)) and not engine.stopping.soon:
                    self.one_pass(database, lack)
                    worked = True
                    self.finish()
                    if self.said.watch:
                        self.look()
                        break
            if engine.stopping.soon or (not worked and not self.said.watch):
                break
            if not worked:
                time.sleep(POLL)
            if self.said.watch:
                self.look()
                self.finish()
        self.end()

    def tell(self):
        """Says what is searched, and what AlphaFold 3 would have besides."""
        found = {c.key: c for job in self.jobs.values() for c in job.chains if c.msa}
        given = {d.name for d in self.databases}
        if self.others:
            part, parts = self.said.part
            self.log(f"part {part} of {parts}: {self.count - len(self.others)} of {self.count} jobs")
        self.log(f"{len(self.jobs)} jobs, {len(found)} different chains, {len(self.databases)} databases: "
                 + ", ".join(d.name for d in self.databases))
        if self.form == "json" and self.store is None and not self.said.no_templates and any(c.templates for c in found.values()):
            self.log("templates are absent: they need the database seqres and the folder of mmCIF files (--mmcif); AlphaFold 3 refuses "
                     'to predict without them, unless --no-templates writes "templates": []')
        for kind, names in (("protein", databases.UNPAIRED + databases.PAIRED), ("rna", databases.RNA)):
            absent = [n for n in names if n not in given]
            if absent and any(c.kind == kind for c in found.values()):
                self.log(f"AlphaFold 3 also searches {', '.join(absent)} for {kind} chains; --db or --db-dir names where they are")

    def end(self):
        """Says how the run ended."""
        if self.jobs:
            self.failed = True
            self.log(f"ended with {len(self.jobs)} unfinished jobs; the same command goes on with them")
        self.log(f"{self.finished} jobs finished in {time.monotonic() - self.began:.1f} s; "
                 f"{os.path.join(self.out, outputs.REPORT)} has the hits, seconds and depth of each chain")


def main(words=None):
    """Runs the program. Returns 0, 1 after an error, or 130 after Ctrl-C that left jobs unfinished."""
    said = options_of(words)
    engine.stopping.listen()
    try:
        for word in said.modified:
            code, _, one = word.partition("=")
            if not code or len(one) != 1 or not one.isupper():
                raise Error(f"--modified {word}: expected CODE=LETTER with one capital letter")
            residues.learn(code, one)
        run = Run(said)
        run.go()
        return 130 if run.failed else 0
    except engine.Interrupted:
        engine.clear()
        print("warpsieve-msa: ended at once; the same command goes on with what is missing", file=sys.stderr)
        return 130
    except (Error, OSError) as e:
        engine.clear()
        if isinstance(e, OSError) and e.strerror:
            e = f"{e.filename or said.output}: {e.strerror}; once that is mended, the same command goes on with what is missing"
        print(f"warpsieve-msa: {e}", file=sys.stderr)
        return 1
