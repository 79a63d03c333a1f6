# SPDX-License-Identifier: MIT
# Rules of the cascade; a workflow of your own includes common.smk and this file and asks for {out}/hits.tsv or
# {out}/hits.tbl. They need
#   config      as in config.yaml
#   scattergather: shard=..., part=...   the number of shards of the database, and of parts of the models
# The number of shards, parts, threads and machines changes no byte of the results.


rule warpsieve_models:
    "One plain file, in which the tools find a model without reading the others."
    input:
        config["models"],
    output:
        temp(f"{OUT}/models.hmm"),
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/models.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        "gzip -cdf {input:q} > {output:q} 2> {log:q}"


rule warpsieve_shards:
    "The database packed and cut; counts.json has the number of sequences that -Z wants."
    input:
        config["database"],
    output:
        shards=temp(scatter.shard(f"{OUT}/shards/{{scatteritem}}.wsp")),
        counts=f"{OUT}/counts.json",
    params:
        alphabet=ALPHABET,
        n=lambda wildcards, output: len(output.shards),
        prefix=f"{OUT}/shards/all",
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/shards.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        respack {params.alphabet} --shards {params.n} -o {params.prefix:q} --stats={output.counts:q} {input:q}
        i=0
        for shard in {output.shards:q}; do
            mv "$(printf '%s-%05d-of-%05d' {params.prefix:q} $i {params.n})" "$shard"
            i=$((i + 1))
        done
        """


rule warpsieve_cascade:
    "One shard through the three filters. -Z is the size of the whole database, not of the shard."
    input:
        models=f"{OUT}/models.hmm",
        shard=f"{OUT}/shards/{{scatteritem}}.wsp",
        counts=f"{OUT}/counts.json",
    output:
        temp(f"{OUT}/hits/{{scatteritem}}.tsv"),
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",  # all devices that the job then sees are its own
        backend="--backend cuda --device all" if GPUS else "",
        msvfilt=config.get("msvfilt", ""),
        vitfilt=config.get("vitfilt", ""),
        fwdscore=config.get("fwdscore", ""),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/{{scatteritem}}.log",
    benchmark:
        f"{OUT}/log/{{scatteritem}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        n=$(sed -n 's/^ *"sequences": \([0-9]*\).*/\1/p' {input.counts:q})
        [ "$n" -gt 0 ] || n=1 # an empty database has no hits, but -Z is more than 0
        {params.device} msvfilt -t {threads} {params.backend} {params.msvfilt} -O packed {input.models:q} {input.shard:q} |
            vitfilt -t 1 {params.vitfilt} -O packed {input.models:q} |
            fwdscore -t 1 -Z "$n" {params.fwdscore} -o {output:q} {input.models:q}
        """


rule warpsieve_gather:
    "One table in the order of the database, and its sequences, each once."
    input:
        gather.shard(f"{OUT}/hits/{{scatteritem}}.tsv"),
    output:
        table=f"{OUT}/hits.tsv",
        fasta=f"{OUT}/hits.fa",
    params:
        alphabet=ALPHABET,
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/gather.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        cat {input:q} | respack {params.alphabet} -O tsv -o {output.table:q}
        respack {params.alphabet} -O fasta -o {output.fasta:q} {output.table:q}
        """


rule warpsieve_parts:
    "The hits by model: all of a model together, since the E-values of its domains depend on their number."
    input:
        models=f"{OUT}/models.hmm",
        table=f"{OUT}/hits.tsv",
    output:
        temp(scatter.part(f"{OUT}/parts/{{scatteritem}}.tsv")),
    params:
        script=PARTS_SH,
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/parts.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        "bash {params.script:q} {input.models:q} {input.table:q} {output:q} 2> {log:q}"


rule warpsieve_domains:
    "Domains and final scores of some of the models. The table says how large the whole database is."
    input:
        models=f"{OUT}/models.hmm",
        table=f"{OUT}/parts/{{scatteritem}}.tsv",
    output:
        domains=temp(f"{OUT}/domains/{{scatteritem}}.tsv"),
        tbl=temp(f"{OUT}/domains/{{scatteritem}}.tbl"),
        dom=temp(f"{OUT}/domains/{{scatteritem}}.dom"),
    params:
        extra=config.get("domscore", ""),
    threads: int(config.get("threads", 1))
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/domains-{{scatteritem}}.log",
    benchmark:
        f"{OUT}/log/domains-{{scatteritem}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        domscore -t {threads} {params.extra} --tblout {output.tbl:q} --domtblout {output.dom:q} -o {output.domains:q} \
            {input.models:q} - < {input.table:q} 2> {log:q}
        """


rule warpsieve_report:
    "The tables that hmmsearch would make of the whole database."
    input:
        domains=gather.part(f"{OUT}/domains/{{scatteritem}}.tsv"),
        tbl=gather.part(f"{OUT}/domains/{{scatteritem}}.tbl"),
        dom=gather.part(f"{OUT}/domains/{{scatteritem}}.dom"),
    output:
        domains=f"{OUT}/domains.tsv",
        tbl=f"{OUT}/hits.tbl",
        dom=f"{OUT}/hits.dom",
    params:
        script=JOIN_SH,
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/report.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        bash {params.script:q} {input.domains:q} > {output.domains:q}
        bash {params.script:q} {input.tbl:q} > {output.tbl:q}
        bash {params.script:q} {input.dom:q} > {output.dom:q}
        """
