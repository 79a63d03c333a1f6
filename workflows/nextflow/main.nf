// SPDX-License-Identifier: MIT
// A database in pieces through the filters, then domains and hmmsearch's tables of the whole:
//   nextflow run workflows/nextflow/main.nf --sequences db.fa.gz --models pfam.hmm
nextflow.enable.dsl = 2

include { WARPSIEVE_CASCADE } from './modules/warpsieve/cascade/main'

params.sequences = null
params.models = null
params.piece = 100000
params.alphabet = 'amino' // or dna, rna
params.outdir = 'results'

// One table of those of the pieces, in the order of the database: one header, and one ##end that adds up what they say.
process WARPSIEVE_JOIN {
    label 'process_single'
    publishDir params.outdir

    input:
    path tables

    output:
    path 'hits.tsv', emit: table

    script:
    """
    set -o pipefail
    cat ${tables} | respack --${params.alphabet} -O tsv -o hits.tsv
    """
}

// Domains and final scores of what passed; the joined tables hold the size of the database.
process WARPSIEVE_DOMAINS {
    label 'process_medium'
    publishDir params.outdir

    input:
    path table
    tuple val(meta2), path(models)

    output:
    path 'domains.tsv', emit: domains
    path 'hits.tbl', emit: tblout
    path 'hits.dom', emit: domtblout

    script:
    """
    domscore -t ${task.cpus} --tblout hits.tbl --domtblout hits.dom -o domains.tsv ${models} ${table}
    """
}

workflow {
    if (!params.sequences || !params.models) {
        error "give --sequences and --models"
    }
    database = channel.fromPath(params.sequences, checkIfExists: true)
    // The size of the whole database, not of a piece, goes into every E-value.
    dbsize = database.countFasta()
    // Pieces come in their order, and have numbers in place of the database's name.
    def number = 0
    pieces = database
        .splitFasta(by: params.piece, file: true)
        .map { piece ->
            number += 1
            [[id: String.format('piece_%06d', number), piece: number], piece]
        }
    models = channel.value([[id: 'models'], file(params.models, checkIfExists: true)])

    WARPSIEVE_CASCADE(pieces, models, dbsize.first())

    WARPSIEVE_JOIN(
        WARPSIEVE_CASCADE.out.table
            .toSortedList { a, b -> a[0].piece <=> b[0].piece }
            .map { pieces_in_order -> pieces_in_order.collect { pair -> pair[1] } }
    )
    WARPSIEVE_DOMAINS(WARPSIEVE_JOIN.out.table, models)
}
