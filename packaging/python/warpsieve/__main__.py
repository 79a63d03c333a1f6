# SPDX-License-Identifier: MIT
"""A filter from tables to Parquet and Arrow:   ... | fwdscore m.hmm | python3 -m warpsieve -o hits.parquet"""
import argparse
import io
import signal
import sys

from . import Error
from .arrow import FORMATS, write_table


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    parser = argparse.ArgumentParser(prog="python3 -m warpsieve", description="Write a table of warpsieve as Parquet or as Arrow IPC.")
    parser.add_argument("-O", "--out-format", choices=FORMATS, default="parquet", help="parquet, or arrow: a stream [parquet]")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE, which appears when it is complete [standard output]")
    parser.add_argument("--allow-cut", action="store_true", help="take a table without its last line ##end")
    parser.add_argument("table", nargs="?", default="-", help="a table, plain or gzip [standard input]")
    args = parser.parse_args()
    source, to = args.table, args.output
    if source == "-":
        source = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape", newline="\n")
    if to is None:
        if sys.stdout.isatty():
            parser.error("standard output is a terminal; give -o FILE")
        to = sys.stdout.buffer
    try:
        write_table(source, to, args.out_format, args.allow_cut)
        sys.stdout.flush()
    except (Error, OSError) as e:
        sys.exit(f"warpsieve: {e}")


main()
