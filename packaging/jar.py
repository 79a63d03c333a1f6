#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a jar that holds files in one folder: jar.py JAR FOLDER FILE... The same files give the same bytes."""
import os
import sys
import zipfile


def entry(name):
    """Returns the head of an entry, with the first date that zip has."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def main():
    """Writes all of the jar beside its place, and then moves it there."""
    if len(sys.argv) < 4:
        sys.exit("usage: jar.py JAR FOLDER FILE...")
    to, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    with zipfile.ZipFile(to + ".tmp", "w") as jar:
        jar.writestr(entry("META-INF/MANIFEST.MF"), "Manifest-Version: 1.0\r\nCreated-By: warpsieve\r\n\r\n")
        for path in files:
            with open(path, "rb") as file:
                jar.writestr(entry(folder + "/" + os.path.basename(path)), file.read())
    os.replace(to + ".tmp", to)


main()
