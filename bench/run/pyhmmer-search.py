#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pyhmmer's search in place of hmmsearch, for bench/run/all.sh:   pyhmmer-search.py THREADS OUT MODELS SEQUENCES

Writes the table of hits, in the order of the models, as hmmsearch --tblout does."""
import sys

import pyhmmer

threads, out, models, sequences = sys.argv[1:]
with pyhmmer.easel.SequenceFile(sequences, digital=True) as f:
    targets = f.read_block()
with pyhmmer.plan7.HMMFile(models) as queries, open(out, "wb") as table:
    for i, hits in enumerate(pyhmmer.hmmsearch(queries, targets, cpus=max(1, int(threads)))):
        hits.write(table, format="targets", header=i == 0)
