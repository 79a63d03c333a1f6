#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests nearest to a source file, the quickest first: make near FILE=bin/search/filters.c

    tests/near.py FILE...     prints them: programs in build/, bats files
"""
import os
import sys

# Tests by the beginning of a path, of which the longest counts, the quickest first: programs in build/, bats files.
FILTERS = ["build/tests/lib/backends", "build/tests/lib/golden", "tests/filters.bats", "tests/chain.bats", "tests/contract.bats"]
NEAREST = {
    "lib/base": ["build/tests/lib/opt", "build/tests/lib/cpu", "tests/contract.bats", "tests/input.bats"],
    "lib/files": ["build/tests/lib/out", "tests/contract.bats", "tests/faults.bats"],
    "lib/compress": ["build/tests/lib/source", "build/tests/lib/inputs", "tests/compressed.bats", "tests/input.bats",
                     "tests/faults.bats"],
    "lib/stream": ["build/tests/lib/packed", "build/tests/lib/pairs", "build/tests/lib/seqread", "tests/respack.bats",
                   "tests/chain.bats"],
    "lib/formats": ["build/tests/lib/seqread", "build/tests/lib/batches", "build/tests/lib/packed", "build/tests/lib/pairs",
                    "tests/respack.bats",
                    "tests/input.bats", "tests/contract.bats", "tests/faults.bats"],
    "lib/translate": ["build/tests/lib/translate", "tests/sixframe.bats"],
    "lib/simd": ["build/tests/lib/codec", "build/tests/lib/backends", "build/tests/lib/cpu"],
    "lib/hmm": ["build/tests/lib/hmm_model", "build/tests/lib/hmm_find", "build/tests/lib/hmm_portions", "build/tests/lib/bias",
                "build/tests/lib/golden", "tests/input.bats", "tests/filters.bats"],
    "lib/run": ["build/tests/lib/ring", "build/tests/lib/chain", "build/tests/lib/table", "tests/small.bats", "tests/contract.bats",
                "tests/chain.bats", "tests/faults.bats"],
    "lib/run/peer": ["tests/hmmer.bats", "tests/press.bats"],
    "lib/run/policy": ["build/tests/lib/policy", "build/tests/lib/auto_device", "build/tests/lib/simulate"],
    "lib/run/auto": ["build/tests/lib/auto_device", "build/tests/lib/policy", "build/tests/lib/backends_together"],
    "lib/scan": ["build/tests/lib/scan", "build/tests/lib/formats_rows_apart", "tests/scan.bats", "tests/filters.bats", "tests/chain.bats",
                 "tests/contract.bats", "tests/domscore.bats", "tests/faults.bats"],
    "bin/stages": ["build/tests/lib/plan", "build/tests/lib/simulate",
                   "build/tests/lib/dom_steps", "build/tests/lib/search_pools", "tests/hmmsearch.bats"],
    "bin/filters": ["build/tests/lib/decide", "tests/filters.bats", "tests/chain.bats"],
    "lib/hits": ["build/tests/lib/hits", "build/tests/lib/hits_dna", "build/tests/lib/hits_golden",
                 "build/tests/lib/long_tables", "tests/domscore.bats", "tests/nhmmsieve.bats"],
    "kernels/long": ["build/tests/lib/long", "build/tests/lib/genomes_chain", "build/tests/lib/long_scan",
                     "build/tests/lib/long_tables", "build/tests/lib/long_golden", "tests/nhmmsieve.bats"],
    "kernels/dom": ["build/tests/lib/dom", "build/tests/lib/dom_clusters", "build/tests/lib/dom_backends",
                    "build/tests/lib/dom_golden", "tests/domscore.bats", "tests/nhmmsieve.bats", "tests/hmmsearch.bats"],
    "kernels/pairhmm": ["build/tests/lib/gkl", "build/tests/lib/pairhmm", "tests/pairhmm.bats", "tests/faults-pairs.bats"],
    "kernels/papara": ["build/kernels/papara/test", "tests/papara.bats", "tests/faults-pairs.bats"],
    "kernels/mrf": ["build/kernels/mrf/test", "tests/mrfseg.bats"],
    "bin/domains": ["build/tests/lib/hits", "build/tests/lib/dom_golden", "tests/domscore.bats", "tests/ledger.bats",
                    "tests/nhmmsieve.bats"],
    "bin/gkl": ["build/tests/lib/gkl", "tests/gkl.bats"],
    "bin/likelihoods": ["tests/pairhmm.bats", "tests/faults-pairs.bats"],
    "bin/papara": ["tests/papara.bats", "tests/papara-name.bats", "tests/faults-pairs.bats"],
    "bin/mrf": ["tests/mrfseg.bats"],
    "bin/pack": ["tests/respack.bats"],
    "bin/translate": ["tests/sixframe.bats"],
    "bin/search": ["tests/domscore.bats", "tests/hmmsearch.bats", "tests/contract.bats"],
    "bin/domains/lists": ["build/tests/lib/domains_lists", "tests/domscore.bats", "tests/hmmsearch.bats"],
    "bin/search/filters": ["build/tests/lib/search_pools", "tests/hmmsearch.bats", "tests/contract.bats"],
    "bin/search/pool": ["build/tests/lib/search_pools", "tests/hmmsearch.bats"],
    "bin/search/jacksieve": ["tests/jacksieve.bats", "tests/hmmer.bats"],
    "bin/search/rounds": ["tests/jacksieve.bats", "tests/queries-contract.bats"],
    "bin/search/scan": ["tests/hmmscan.bats", "tests/nhmmscan.bats"],
    "bin/search/seqsieve": ["tests/seqsieve.bats", "tests/hmmer.bats"],
    "bin/search/sieve": ["tests/hmmsearch.bats", "tests/seqsieve.bats", "tests/jacksieve.bats"],
    "bin/search/shards": ["tests/seqsieve.bats", "tests/jacksieve.bats"],
    "bin/genomes": ["build/tests/lib/genomes_chain", "tests/nhmmsieve.bats", "tests/nhmmscan.bats", "tests/hmmer.bats"],
    "bin/queries": ["tests/seqsieve.bats", "tests/jacksieve.bats", "tests/queries-contract.bats"],
    "bin/peers": ["tests/hmmer.bats", "tests/docs.bats"],
    "bin/cast": ["tests/hmmcast.bats", "tests/hmmer.bats"],
    "bin/fit": ["tests/hmmfit.bats"],
    "bin/press": ["tests/press.bats"],
    "kernels/cast": ["build/kernels/cast/test", "build/tests/lib/build_align", "build/tests/lib/build_effective",
                      "tests/hmmcast.bats", "tests/seqsieve.bats"],
    "kernels/dom/logspace": ["build/tests/lib/dom_whole", "build/tests/lib/dom", "tests/hmmfit.bats"],
    "kernels/dom/whole": ["build/tests/lib/dom_whole", "tests/hmmfit.bats"],
    "lib/hits/dna": ["build/tests/lib/hits_dna", "build/tests/lib/long_tables", "tests/nhmmsieve.bats", "tests/nhmmscan.bats"],
    "lib/hits/pfam": ["tests/hmmscan.bats", "tests/domscore.bats"],
    "lib/hits/pieces": ["build/tests/lib/hits_pieces", "tests/hmmsearch.bats", "tests/domscore.bats"],
    "lib/hits/resolve": ["build/tests/lib/hits_resolve", "tests/resolve.bats"],
    "lib/hits/spill": ["build/tests/lib/hits_spill", "tests/spill.bats"],
    "lib/hmm/binwrite": ["tests/press.bats"],
    "lib/hmm/hmmstream": ["tests/press.bats"],
    "lib/hmm/hmmwrite": ["build/tests/lib/hmm_write", "tests/hmmcast.bats", "tests/press.bats"],
    "lib/hmm/pressed": ["tests/press.bats"],
    "lib/hmm/ssi": ["tests/press.bats"],
    "lib/stream/ledger": ["build/tests/lib/ledger", "build/tests/lib/seqread", "tests/ledger.bats"],
    "lib/formats/flatfile": ["build/tests/lib/seqread", "tests/formats.bats"],
    "lib/files/whole": ["tests/press.bats"],
    "lib/files/temp": ["build/tests/lib/hits_spill", "tests/spill.bats", "tests/hmmfit.bats"],
    "bench": ["tests/bench.bats", "tests/docs-commands.bats"],
    "packaging/site": ["tests/site.bats"],
    "packaging/python": ["tests/packaging.bats", "tests/pymem.bats"],
    "lib/msa": ["build/tests/lib/msa", "build/tests/lib/msa_blocks", "tests/hmmcast.bats", "tests/hmmfit.bats"],
}


def nearest(path):
    place = max((p for p in NEAREST if path.startswith(p)), key=len, default=None)
    tests = NEAREST.get(place, [f"build/{os.path.dirname(path)}/test"] + FILTERS)
    return [t for t in tests if t.endswith(".bats") or os.path.exists(t[6:] + ".c")]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if not os.path.isfile(name):
            sys.exit(f"near.py: there is no file {name}; give one of the sources, such as bin/search/filters.c")
    print(*dict.fromkeys(t for name in sys.argv[1:] for t in ([name] if name.endswith(".bats") else nearest(name))), sep="\n")
