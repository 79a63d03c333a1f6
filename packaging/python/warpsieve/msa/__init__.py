# SPDX-License-Identifier: MIT
"""Alignments for structure prediction, for many chains in one pass over each database: what AlphaFold 3's data pipeline makes.

    warpsieve-msa -o alignments --db-dir databases chains/        see man warpsieve-msa

chains.py reads what is to be searched, databases.py knows what is searched, engine.py runs the programs, a3m.py merges their rows as
AlphaFold 3 does, passes.py does one pass of each kind, outputs.py writes what is finished, and main.py decides what comes next.
"""


def main(words=None):
    """Runs the program warpsieve-msa with these arguments, by default those of the command line. Returns its exit status."""
    from .main import main as run
    return run(words)
