// SPDX-License-Identifier: MIT
// Sequences through msvfilt, vitfilt and fwdscore in one pipe; what passes as a table and as FASTA.
process WARPSIEVE_CASCADE {
    tag "${meta.id}"
    label 'process_medium'
    label 'process_gpu'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/warpsieve:0.3.0--0'
        : 'quay.io/biocontainers/warpsieve:0.3.0--0'}"

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
    def gpus = task.accelerator ? task.accelerator.request : 0
    def backend = gpus ? '--backend cuda --device all' : '' // all that the task then sees are its own
    def z = dbsize ? "-Z ${dbsize}" : ''
    """
    set -o pipefail
    # A scheduler's choice of devices holds. Where more are to be seen, each task takes those that no other task holds, as long as it runs.
    IFS=, read -ra seen <<< "\${CUDA_VISIBLE_DEVICES:-\$([ ${gpus} -eq 0 ] || nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd, -)}"
    if [ ${gpus} -gt 0 ] && [ \${#seen[@]} -gt ${gpus} ]; then
        slots=\${TMPDIR:-/tmp}
        if [ -d "\${XDG_RUNTIME_DIR:-}" ] && [ -w "\$XDG_RUNTIME_DIR" ]; then slots=\$XDG_RUNTIME_DIR; fi
        slots+=/warpsieve-slots-\$(id -u)
        mkdir -m 700 "\$slots" 2> /dev/null || true
        found=\$(ls -ldn "\$slots" 2>&1 || true)
        if [[ \$found != drwx------* ]] || ! [ -O "\$slots" ]; then # a link is none either
            echo "\$slots: found \$found, expected a folder of your own with mode 700; remove it, or set XDG_RUNTIME_DIR or TMPDIR" >&2
            exit 1
        fi
        exec {all}>> "\$slots/all"
        flock "\$all"
        mine=()
        while [ \${#mine[@]} -lt ${gpus} ]; do
            for d in "\${seen[@]}"; do
                if [[ " \${mine[*]} " == *" \$d "* ]]; then continue; fi
                exec {slot}>> "\$slots/\$d"
                if flock -n "\$slot"; then mine+=("\$d"); else exec {slot}>&-; fi
                [ \${#mine[@]} -lt ${gpus} ] || break
            done
            [ \${#mine[@]} -ge ${gpus} ] || sleep 0.2
        done
        exec {all}>&-
        export CUDA_VISIBLE_DEVICES=\$(IFS=,; echo "\${mine[*]}")
    fi
    msvfilt -t ${task.cpus} ${backend} --stats=${prefix}.hits.json ${args} -O packed ${models} ${sequences} |
        vitfilt -t 1 ${args2} -O packed ${models} |
        fwdscore -t 1 ${z} ${args3} -o ${prefix}.hits.tsv ${models}
    respack ${args4} -O fasta ${prefix}.hits.tsv | gzip -n > ${prefix}.hits.fa.gz
    gzip -n ${prefix}.hits.tsv
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo "" | gzip > ${prefix}.hits.tsv.gz
    echo "" | gzip > ${prefix}.hits.fa.gz
    touch ${prefix}.hits.json
    """
}
