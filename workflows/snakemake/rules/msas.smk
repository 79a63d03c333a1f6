# SPDX-License-Identifier: MIT
# MSAs of all queries, as AlphaFold 3 makes them: a job for each database, in which all queries go through it in one pass.
# {out}/msas/NAME has a Stockholm file for each query. It needs
#   config      queries and databases, as in config.yaml

# a database is a file, a list of files, or a record with these and its own Z and options
DATABASES = {
    name: entry if isinstance(entry, dict) else {"files": entry}
    for name, entry in (config.get("databases") or {}).items()
}


rule msas:
    input:
        expand(f"{OUT}/msas/{{database}}", database=list(DATABASES)),


rule warpsieve_msas:
    "All queries against the files of one database. -Z is the size of the whole where these files are a part of it."
    input:
        queries=config.get("queries", "queries.fa"),
        files=lambda wildcards: DATABASES[wildcards.database]["files"],
    output:
        directory(f"{OUT}/msas/{{database}}"),
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",
        backend="--backend cuda --device all" if GPUS else "",
        size=lambda wildcards: "-Z {Z}".format(**DATABASES[wildcards.database]) if "Z" in DATABASES[wildcards.database] else "",
        options=lambda wildcards: DATABASES[wildcards.database].get("options", config.get("jacksieve", "")),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
    log:
        f"{OUT}/log/msas-{{database}}.log",
    benchmark:
        f"{OUT}/log/msas-{{database}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        mkdir -p {output:q}
        {params.device} jacksieve -t {threads} {params.backend} {params.options} {params.size} --noali \
            -o /dev/null -A {output:q}/%q.sto {input.queries:q} {input.files:q}
        """
