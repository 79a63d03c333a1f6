# SPDX-License-Identifier: MIT
# Snakemake wrapper: sequences through msvfilt, vitfilt and fwdscore in one pipe.
from snakemake.shell import shell

params = snakemake.params
threads = snakemake.threads
profile = snakemake.input.profile
table = snakemake.output.table
fasta = snakemake.output.get("fasta", "")
msvfilt = params.get("msvfilt", "")
vitfilt = params.get("vitfilt", "")
fwdscore = params.get("fwdscore", "")
respack = params.get("respack", "")
z = f"-Z {params.z}" if params.get("z", "") != "" else ""
log = snakemake.log_fmt_shell(stdout=False, stderr=True)
log_more = snakemake.log_fmt_shell(stdout=False, stderr=True, append=True)

# The first of the three does nearly all of the work, so it gets the threads.
shell(
    "(msvfilt -t {threads} {msvfilt} -O packed {profile:q} {snakemake.input.sequences:q}"
    " | vitfilt -t 1 {vitfilt} -O packed {profile:q}"
    " | fwdscore -t 1 {z} {fwdscore} -o {table:q} {profile:q}) {log}"
)
if fasta:
    shell("respack {respack} -O fasta -o {fasta:q} {table:q} {log_more}")
