#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes README's table of programs that lose data in silence. Gives 400 proteins in damaged forms to
# msvfilt and to those of hmmsearch, seqkit and mmseqs that are installed, and prints form, program, exit status and
# records read. Run it as: sh tests/silence.sh
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${WARPSIEVE_BIN:-$top/bin}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
zcat "$top/tests/data/demo.fa.gz" >whole.fa
model=$top/tests/data/demo.hmm

python3 - <<'PY'
import gzip, struct, zlib
text = open("whole.fa", "rb").read()
def block(data): # a block of BGZF
    z = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = z.compress(data) + z.flush()
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25) + body +
            struct.pack("<II", zlib.crc32(data), len(data)))
member = gzip.compress(text)
wrong = bytearray(member)
wrong[-6] ^= 85
for name, data in (("cut.gz", member[:70000]), ("checksum.gz", wrong), ("bgzf.gz", block(text[:60000]) + block(text[60000:120000])),
                   ("returns.fa", text.replace(b"\n", b"\r") + b"\n")):
    open(name, "wb").write(data)
PY

say() { printf '%s\t%s\t%s\t%s\n' "$@"; }
status() { s=0; "$@" >out 2>err || s=$?; }
for f in whole.fa cut.gz checksum.gz bgzf.gz returns.fa; do
    status msvfilt -a "$model" "$f"
    say "$f" msvfilt "$s" "$(grep -vc '^#' out || :)"
    if command -v hmmsearch >/dev/null; then
        status hmmsearch --max "$model" "$f"
        say "$f" hmmsearch "$s" "$(awk '/^Target sequences:/ { print $3 }' out)"
    fi
    if command -v seqkit >/dev/null; then
        status seqkit seq "$f"
        say "$f" seqkit "$s" "$(grep -c '^>' out || :)"
    fi
    if command -v mmseqs >/dev/null; then
        rm -f db db.* db_h*
        status mmseqs createdb "$f" db
        say "$f" mmseqs "$s" "$(cat db.index 2>/dev/null | wc -l)"
    fi
done
# a full disk: the status alone
status msvfilt -a -o /dev/full "$model" whole.fa
say full msvfilt "$s" -
! command -v hmmsearch >/dev/null ||
    { status hmmsearch --tblout /dev/full "$model" whole.fa; say full hmmsearch "$s" -; }
! command -v seqkit >/dev/null || { status seqkit seq -o /dev/full whole.fa; say full seqkit "$s" -; }
