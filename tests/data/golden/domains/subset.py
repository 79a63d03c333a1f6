#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# subset.py FULL: makes this folder from the full golden data (its folder domains/): the parts of those models that are in
# tests/data, and the targets.
import gzip, lzma, pathlib, sys

MODELS = '20aa Caudal_act LuxC M1 Pkinase XYPPX fn3 globins4 globins4_mm globins4_pnone tiny'.split()
full, here = pathlib.Path(sys.argv[1]) / 'domains', pathlib.Path(__file__).parent


def write(name, text):
    with open(here / (name + '.gz'), 'wb') as raw, gzip.GzipFile('', 'wb', 9, raw, 0) as f:
        f.write(text.encode())


FILES = '''cases.def.dump cases.def.tblout cases.def.domtblout cases.def.ali.sto cases.def.out
cases.max.dump cases.max.tblout cases.max.domtblout'''.split()
for name in FILES:
    keep, out = False, []
    for line in lzma.open(full / (name + '.xz'), 'rt'):
        if line.startswith('## '):
            keep = line.split()[1] in MODELS
        if keep:
            out.append(line)
    write(name, ''.join(out))
write('cases.fa', lzma.open(full / 'cases.fa.xz', 'rt').read())
write('Caudal_act.hmm', (full.parent / 'models/Caudal_act.hmm').read_text())
for name in 'rng42.txt', 'worked-matrices.txt':
    (here / name).write_text((full / name).read_text())
