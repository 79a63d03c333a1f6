# SPDX-License-Identifier: MIT
# Snakemake wrapper: nhmmsieve, with a report or a table, and the tables of HMMER that the rule names.
from snakemake.shell import shell

OPTIONS = {"tblout": "--tblout", "dfamtblout": "--dfamtblout", "alignment": "-A"}

output = snakemake.output
report = output.get("report", "")
table = output.get("table", "")
if report and table:
    raise ValueError("nhmmsieve: output has report and table, and the program writes one of them")
if not any(output.get(name, "") for name in ["report", "table", *OPTIONS]):
    raise ValueError(f"nhmmsieve: output has none of report, table, {', '.join(OPTIONS)}")
known = {"report", "table", *OPTIONS}
for name in output.keys():
    if name not in known:
        raise ValueError(f"nhmmsieve: output has {name}, expected some of {', '.join(sorted(known))}")
threads = snakemake.threads
extra = snakemake.params.get("extra", "")
form = "-O tsv" if table else "-O text"
main = report or table or "/dev/null"
tables = " ".join(f"{option} '{output.get(name)}'" for name, option in OPTIONS.items() if output.get(name, ""))
log = snakemake.log_fmt_shell(stdout=False, stderr=True)

shell("nhmmsieve -t {threads} {extra} {form} -o {main:q} {tables} {snakemake.input.query:q} {snakemake.input.sequences:q} {log}")
