# SPDX-License-Identifier: MIT
# Rules of the cascade; a workflow of your own includes this file and asks for {out}/hits.tsv or {out}/hits.tbl. It needs
#   config      as in config.yaml
#   scattergather: shard=...   the number of shards
# The number of shards, threads and machines changes no byte of the results.

import os

OUT = config.get("out", "results")
SHARDS_SH = os.path.join(workflow.basedir, config.get("shards_sh", "../shell/shards.sh"))
DEVICE_SH = os.path.join(workflow.basedir, config.get("device_sh", "../shell/device.sh"))
GPUS = int(config.get("gpus", 0))
ALPHABET = f"--{config.get('alphabet', 'amino')}"


rule warpsieve_models:
    "One plain file, in which the tools find a model without reading the others."
    input:
        config["models"],
    output:
        temp(f"{OUT}/models.hmm"),
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
        script=SHARDS_SH,
        alphabet=ALPHABET,
    log:
        f"{OUT}/log/shards.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        "bash {params.script:q} {input:q} {output.counts:q} {output.shards:q} -- {params.alphabet} 2> {log:q}"


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


rule warpsieve_domains:
    "Domains, final scores and the tables that hmmsearch would make of the whole database. The table says how large that is."
    input:
        models=f"{OUT}/models.hmm",
        table=f"{OUT}/hits.tsv",
    output:
        domains=f"{OUT}/domains.tsv",
        tbl=f"{OUT}/hits.tbl",
        dom=f"{OUT}/hits.dom",
    params:
        extra=config.get("domscore", ""),
    threads: int(config.get("threads", 1))
    log:
        f"{OUT}/log/domains.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        domscore -t {threads} {params.extra} --tblout {output.tbl:q} --domtblout {output.dom:q} -o {output.domains:q} \
            {input.models:q} {input.table:q} 2> {log:q}
        """
