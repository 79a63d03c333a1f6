// SPDX-License-Identifier: MIT
// A database in pieces through the filters, then domains and hmmsearch's tables of the whole:
//   nextflow run workflows/nextflow/main.nf --sequences db.fa.gz --models pfam.hmm
nextflow.enable.dsl = 2

include { WARPSIEVE_CASCADE } from './modules/warpsieve/cascade/main'

params.sequences = null
params.models = null
params.piece = 100000
params.outdir = 'results'

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
    pieces = database
        .splitFasta(by: params.piece, file: true)
        .map { piece -> [[id: piece.baseName], piece] }
    models = channel.value([[id: 'models'], file(params.models, checkIfExists: true)])

    WARPSIEVE_CASCADE(pieces, models, dbsize.first())

    hits = WARPSIEVE_CASCADE.out.table
        .map { _meta, table -> table }
        .collectFile(name: 'hits.tsv.gz', storeDir: params.outdir, sort: { table -> (table.name =~ /\.(\d+)\./)[0][1] as int })
    WARPSIEVE_DOMAINS(hits, models)
}
