# SPDX-License-Identifier: MIT
# Whole searches, a job for each database or each of its files, with config as in config.yaml:
#   searches  hmmsieve, {out}/searches/NAME.tbl and NAME.dom: the tables of hmmsearch
#   genomes   nhmmsieve, {out}/genomes/NAME.tbl: the table of nhmmer
#   orfs      sixframe and hmmsieve, {out}/orfs/NAME.tsv: domains of the proteins that DNA codes for, with their places,
#             and NAME.tbl, the table of hmmsearch
#   msas      jacksieve, {out}/msas/NAME with a Stockholm file for each query, as AlphaFold 3 makes them: all queries go
#             through a database in one pass


rule searches:
    input:
        expand(f"{OUT}/searches/{{database}}.{{table}}", database=list(DATABASES), table=["tbl", "dom"]),


rule genomes:
    input:
        expand(f"{OUT}/genomes/{{genome}}.tbl", genome=list(GENOMES)),


rule orfs:
    input:
        expand(f"{OUT}/orfs/{{contigs}}.{{table}}", contigs=list(CONTIGS), table=["tsv", "tbl"]),


rule msas:
    input:
        expand(f"{OUT}/msas/{{database}}", database=list(DATABASES)),


rule warpsieve_counts:
    "The number of sequences of all files of a database."
    input:
        lambda wildcards: WHOLE[wildcards.whole],
    output:
        f"{OUT}/counts/{{whole}}.json",
    params:
        alphabet=ALPHABET,
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/counts-{{whole}}.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        "respack {params.alphabet} -o /dev/null --stats={output:q} {input:q} 2> {log:q}"


rule warpsieve_search:
    "All models against the files of one database."
    input:
        models=f"{OUT}/models.hmm",
        files=lambda wildcards: DATABASES[wildcards.database]["files"],
        counts=counts_of,
    output:
        tbl=f"{OUT}/searches/{{database}}.tbl",
        dom=f"{OUT}/searches/{{database}}.dom",
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",
        backend="--backend cuda --device all" if GPUS else "",
        size=size_of,
        options=lambda wildcards: DATABASES[wildcards.database].get("options", config.get("hmmsieve", "")),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/search-{{database}}.log",
    benchmark:
        f"{OUT}/log/search-{{database}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        {params.device} hmmsieve -t {threads} {params.backend} {params.options} {params.size} --noali \
            -o /dev/null --tblout {output.tbl:q} --domtblout {output.dom:q} {input.models:q} {input.files:q}
        """


rule warpsieve_genome:
    "All DNA models against the files of one genome."
    input:
        models=config.get("dna_models", "dna.hmm"),
        files=lambda wildcards: GENOMES[wildcards.genome]["files"],
    output:
        f"{OUT}/genomes/{{genome}}.tbl",
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",
        backend="--backend cuda --device all" if GPUS else "",
        options=lambda wildcards: GENOMES[wildcards.genome].get("options", config.get("nhmmsieve", "")),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/genome-{{genome}}.log",
    benchmark:
        f"{OUT}/log/genome-{{genome}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        {params.device} nhmmsieve -t {threads} {params.backend} {params.options} \
            -o /dev/null --tblout {output:q} {input.models:q} {input.files:q}
        """


rule warpsieve_orfs:
    "All models against the ORFs of the contigs or reads of some files."
    input:
        models=f"{OUT}/models.hmm",
        files=lambda wildcards: CONTIGS[wildcards.contigs]["files"],
    output:
        tsv=f"{OUT}/orfs/{{contigs}}.tsv",
        tbl=f"{OUT}/orfs/{{contigs}}.tbl",
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",
        backend="--backend cuda --device all" if GPUS else "",
        sixframe=lambda wildcards: CONTIGS[wildcards.contigs].get("sixframe", config.get("sixframe", "")),
        options=lambda wildcards: CONTIGS[wildcards.contigs].get("options", config.get("hmmsieve", "")),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/orfs-{{contigs}}.log",
    benchmark:
        f"{OUT}/log/orfs-{{contigs}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        set -o pipefail
        sixframe -t {threads} {params.sixframe} -O packed {input.files:q} |
            {params.device} hmmsieve -t {threads} {params.backend} {params.options} --orfs -O tsv \
                -o {output.tsv:q} --tblout {output.tbl:q} {input.models:q}
        """


rule warpsieve_msas:
    "All queries against the files of one database. -Z is the size of the whole where these files are a part of it."
    input:
        queries=config.get("queries", "queries.fa"),
        files=lambda wildcards: DATABASES[wildcards.database]["files"],
        counts=counts_of,
    output:
        directory(f"{OUT}/msas/{{database}}"),
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",
        backend="--backend cuda --device all" if GPUS else "",
        size=size_of,
        options=lambda wildcards: DATABASES[wildcards.database].get("options", config.get("jacksieve", "")),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
        mem_mb=MEM_MB,
        runtime=RUNTIME,
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
