// SPDX-License-Identifier: MIT
// Sequences through msvfilt, vitfilt and fwdscore in one pipe; what passes as a table and as FASTA.
process WARPSIEVE_CASCADE {
    tag "${meta.id}"
    label 'process_medium'
    label 'process_gpu'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/warpsieve:0.1.0--0'
        : 'quay.io/biocontainers/warpsieve:0.1.0--0'}"

    input:
    tuple val(meta), path(sequences)
    tuple val(meta2), path(models)
    val dbsize

    output:
    tuple val(meta), path("*.hits.tsv.gz"), emit: table
    tuple val(meta), path("*.hits.fa.gz"), emit: fasta
    tuple val(meta), path("*.hits.json"), emit: stats
    tuple val("${task.process}"), val('warpsieve'), eval("msvfilt --version | sed '1!d;s/.* //'"), topic: versions, emit: versions_warpsieve

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def args2 = task.ext.args2 ?: ''
    def args3 = task.ext.args3 ?: ''
    def args4 = task.ext.args4 ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def backend = task.accelerator ? '--backend cuda --device all' : ''
    def z = dbsize ? "-Z ${dbsize}" : ''
    """
    set -o pipefail
    msvfilt -t ${task.cpus} ${backend} --stats=${prefix}.hits.json ${args} -O packed ${models} ${sequences} |
        vitfilt -t 1 ${args2} -O packed ${models} |
        fwdscore -t 1 ${z} ${args3} -o ${prefix}.hits.tsv ${models}
    respack ${args4} -O fasta ${prefix}.hits.tsv | gzip -n > ${prefix}.hits.fa.gz
    gzip -n ${prefix}.hits.tsv
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo "" | gzip -n > ${prefix}.hits.tsv.gz
    echo "" | gzip -n > ${prefix}.hits.fa.gz
    touch ${prefix}.hits.json
    """
}
