// SPDX-License-Identifier: MIT
// Search proteins with profile HMMs, as hmmsearch of HMMER does: the report, and the tables that are asked for.
process WARPSIEVE_HMMSEARCH {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/warpsieve:0.3.0--0'
        : 'quay.io/biocontainers/warpsieve:0.3.0--0'}"

    input:
    tuple val(meta), path(models), path(sequences), val(write_align), val(write_target), val(write_domain)

    output:
    tuple val(meta), path("*.txt.gz"), emit: output
    tuple val(meta), path("*.sto.gz"), emit: alignments, optional: true
    tuple val(meta), path("*.tbl.gz"), emit: target_summary, optional: true
    tuple val(meta), path("*.domtbl.gz"), emit: domain_summary, optional: true
    tuple val("${task.process}"), val('warpsieve'), eval("hmmsieve --version | sed '1!d;s/.* //'"), topic: versions, emit: versions_warpsieve

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def alignments = write_align ? "-A ${prefix}.sto" : ''
    def target_summary = write_target ? "--tblout ${prefix}.tbl" : ''
    def domain_summary = write_domain ? "--domtblout ${prefix}.domtbl" : ''
    """
    "\$(hmmsieve --hmmer-path)/hmmsearch" --cpu ${task.cpus} ${args} -o ${prefix}.txt ${alignments} ${target_summary} ${domain_summary} ${models} ${sequences}
    for file in ${prefix}.txt ${prefix}.sto ${prefix}.tbl ${prefix}.domtbl; do
        if [ -e "\$file" ]; then gzip -n "\$file"; fi
    done
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo "" | gzip > ${prefix}.txt.gz
    if ${write_align ? 'true' : 'false'}; then echo "" | gzip > ${prefix}.sto.gz; fi
    if ${write_target ? 'true' : 'false'}; then echo "" | gzip > ${prefix}.tbl.gz; fi
    if ${write_domain ? 'true' : 'false'}; then echo "" | gzip > ${prefix}.domtbl.gz; fi
    """
}
