# SPDX-License-Identifier: MIT
# Alignments for structure prediction by warpsieve-msa, with config as in config.yaml:
#   chains    {out}/chains: what one warpsieve-msa over all inputs would write there
#   scattergather: group=...   the number of jobs that share the inputs; each searches all databases with its share
# A group that failed, or was ended, goes on with what is missing, unless inputs, databases or options have changed.


rule chains:
    input:
        f"{OUT}/chains",


rule warpsieve_chain_list:
    "The inputs, one a line: all groups see the same ones in the same order."
    input:
        chain_files,
    output:
        f"{OUT}/chains.list",
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/chains.log",
    run:
        with open(output[0], "w") as f:
            f.writelines(f"{path}\n" for path in input)


rule warpsieve_chains:
    "Some of the chains against all databases, in one pass over each."
    input:
        chains=f"{OUT}/chains.list",
        databases=chain_database_files,
        folders=[ancient(config[option]) for option in ("db_dir", "mmcif") if config.get(option)],
    output:
        temp(directory(f"{OUT}/groups/{{scatteritem}}")),
    params:
        device=f"bash '{DEVICE_SH}' {GPUS}" if GPUS else "",
        backend="--backend cuda --device all" if GPUS else "",
        part=lambda wildcards: wildcards.scatteritem.replace("-of-", "/"),
        words=chain_words,
        options=config.get("msa", ""),
    threads: int(config.get("threads", 1))
    resources:
        gpu=GPUS,
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/chains-{{scatteritem}}.log",
    benchmark:
        f"{OUT}/log/chains-{{scatteritem}}.benchmark.tsv"
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        work={output:q}.unfinished
        mapfile -t chains < {input.chains:q}
        {{ printf '%s\n' {params.words:q} {params.options:q}; stat -L -c '%n %s %y' {input:q}; }} > "$work.now"
        cmp -s "$work.now" "$work.for" || rm -rf "$work"
        mv "$work.now" "$work.for"
        {params.device} warpsieve-msa -t {threads} {params.backend} {params.options} --part {params.part} -o "$work" {params.words:q} \
            "${{chains[@]}}"
        rm -r "$work/.warpsieve-msa" "$work.for"
        mv "$work" {output:q}
        """


rule warpsieve_chains_joined:
    "What all groups wrote, in one folder with one report."
    input:
        gather.group(f"{OUT}/groups/{{scatteritem}}"),
    output:
        directory(f"{OUT}/chains"),
    resources:
        mem_mb=MEM_MB,
        runtime=RUNTIME,
    log:
        f"{OUT}/log/chains-joined.log",
    conda:
        "../envs/warpsieve.yaml"
    shell:
        r"""
        exec 2> {log:q}
        shopt -s nullglob
        mkdir -p {output:q}
        reports=()
        for group in {input:q}; do
            for file in "$group"/*; do
                case ${{file##*/}} in
                    report.tsv) reports+=("$file") ;;
                    *) cp -al "$file" {output:q}/ 2> /dev/null || cp -a "$file" {output:q}/ ;;
                esac
            done
        done
        awk 'FNR > 1 || !n++' "${{reports[@]}}" > {output:q}/report.tsv
        """
