# SPDX-License-Identifier: MIT
"""The wheel of warpsieve: programs, manual pages, completions, docs and workflows, and the module `warpsieve`.

    backend.py STAGE OUTDIR     packs what packaging/stage.sh made in STAGE; prints the wheel's path

For `pip install .` and `pip install warpsieve-VERSION.tar.gz` this is the build backend (PEP 517): it calls make.
"""
import base64
import glob
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# The libraries that manylinux lets a wheel ask for, as far as programs in C need them, and the wheel's own.
SYSTEM = {"libwarpsieve.so", "libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0",
          "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
AS = """\
#!/bin/sh
exec "${{0%/*}}/../../../bin/{program}" --as {name} "$@"
"""
NAMES = "The folder hmmer has programs by the names of HMMER's, which run warpsieve: hmmsieve --hmmer-path prints it.\n"
ENTRIES = "[console_scripts]\nwarpsieve-msa = warpsieve.msa:main\n"
METADATA = """\
Metadata-Version: 2.1
Name: warpsieve
Version: {version}
Summary: HMMER's searches with the same options and output, and its filters over streams, on processors and GPUs
Home-page: https://warpsieve.invalid
License: MIT
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Topic :: Scientific/Engineering :: Bio-Informatics
Requires-Python: >=3.8
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: arrow
Requires-Dist: pyarrow; extra == "arrow"
Provides-Extra: pyhmmer
Requires-Dist: pyhmmer>=0.11,<0.13; extra == "pyhmmer"
Description-Content-Type: text/markdown

{readme}"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def version():
    return re.search(r'define WS_VERSION "(.*)"', read(TOP, "lib", "base", "ws.h"))[1]


def processor(path):
    """Returns the processor that a program is for, by its ELF header; None of a file that is no ELF."""
    with open(path, "rb") as f:
        head = f.read(20)
    if head[:4] != b"\x7fELF":
        return None
    return {62: "x86_64", 183: "aarch64"}.get(int.from_bytes(head[18:20], sys.byteorder), platform.machine())


def platform_tag(programs):
    """Returns the oldest manylinux on which all programs start, by the symbols that they ask for.

    It is linux_MACHINE if they ask for other libraries than the system's.
    """
    newest, machine = (2, 17), platform.machine()
    for path in filter(processor, programs):
        machine = processor(path)
        text = subprocess.check_output(["objdump", "-p", path], universal_newlines=True)
        others = set(re.findall(r"NEEDED +(\S+)", text)) - SYSTEM
        if others:
            names = ", ".join(sorted(others))
            print(f"{os.path.basename(path)} needs {names}, so the wheel is for this system only", file=sys.stderr)
            return f"linux_{machine}"
        newest = max([newest] + [(int(a), int(b)) for a, b in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text)])
    return f"manylinux_{newest[0]}_{newest[1]}_{machine}"


class Wheel:
    """A wheel in folder `out`, written file by file in a with statement; equal files and time give equal bytes."""

    def __init__(self, out, tag, epoch):
        self.info = f"warpsieve-{version()}.dist-info"
        self.data = f"warpsieve-{version()}.data"
        self.tag = f"py3-none-{tag}"
        self.name = f"warpsieve-{version()}-{self.tag}.whl"
        self.date = time.gmtime(max(epoch, 315532800))[:6]  # zip begins in 1980
        self.record = []
        os.makedirs(out, exist_ok=True)
        self.zip = zipfile.ZipFile(os.path.join(out, self.name), "w", zipfile.ZIP_DEFLATED)

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, self.date)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def add_file(self, name, path, mode=0o644):
        with open(path, "rb") as f:
            self.add(name, f.read(), mode)

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if not failed:
            self.add(f"{self.info}/LICENSE", read(TOP, "LICENSE").encode())
            metadata = METADATA.format(version=version(), readme=read(TOP, "README.md"))
            wheel = f"Wheel-Version: 1.0\nGenerator: warpsieve\nRoot-Is-Purelib: false\nTag: {self.tag}\n"
            self.add(f"{self.info}/METADATA", metadata.encode())
            self.add(f"{self.info}/entry_points.txt", ENTRIES.encode())
            self.add(f"{self.info}/WHEEL", wheel.encode())
            self.add(f"{self.info}/RECORD", ("\n".join(self.record) + f"\n{self.info}/RECORD,,\n").encode())
        self.zip.close()


def pack(root, out, tag, epoch):
    """Packs an installed tree (root/bin, root/lib, root/libexec, root/share) and the module into a wheel in `out`; returns its name."""
    with Wheel(out, tag, epoch) as wheel:
        for path in sorted(glob.glob(os.path.join(HERE, "warpsieve", "**", "*.py"), recursive=True)):
            wheel.add_file(os.path.relpath(path, HERE), path)
        for path in sorted(glob.glob(os.path.join(root, "**"), recursive=True)):
            name = os.path.relpath(path, root)
            if name == "bin/warpsieve-msa" or name.startswith("share/warpsieve/"):
                continue  # the module is there already, and pip makes the program of its entry point
            if name.startswith("bin/"):
                wheel.add_file(f"{wheel.data}/scripts/{name[4:]}", path, 0o755)
            elif os.path.islink(path):  # a wheel has no links: the program is told its name
                call = AS.format(program=os.path.basename(os.readlink(path)), name=os.path.basename(path))
                wheel.add(f"{wheel.data}/data/{name}", call.encode(), 0o755)
            elif os.path.isfile(path):
                wheel.add_file(f"{wheel.data}/data/{name}", path, 0o755 if os.access(path, os.X_OK) else 0o644)
            elif name == "libexec/warpsieve":  # pip uninstall takes a folder away only if a file of the wheel lies in it
                wheel.add(f"{wheel.data}/data/{name}/README", NAMES.encode())
    return wheel.name


# ---- the build backend ----


class UnsupportedOperation(Exception):
    """The exception that build_sdist raises."""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds for this system with make's own defaults; environment variables such as CUDA=0, SMS and CC are make's."""
    del config_settings, metadata_directory
    with tempfile.TemporaryDirectory() as root:
        make = ["make", "-C", TOP, f"-j{os.cpu_count()}"]
        for target in (["all"], ["install", f"DESTDIR={root}", "PREFIX=/w", "SHARED=1"]):
            subprocess.run(make + target, check=True, stdout=sys.stderr)
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", os.stat(os.path.join(TOP, "Makefile")).st_mtime))
        return pack(os.path.join(root, "w"), wheel_directory, f"linux_{platform.machine()}", epoch)


def build_sdist(sdist_directory, config_settings=None):
    """The tarball of `make dist` is the source distribution."""
    raise UnsupportedOperation("make dist makes the tarball of the sources, which pip installs")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: backend.py STAGE OUTDIR")
    stage, out = sys.argv[1:]
    root = os.path.join(stage, f"warpsieve-{version()}")
    tag = platform_tag(sorted(glob.glob(os.path.join(root, "bin", "*")) + glob.glob(os.path.join(root, "lib", "*", "*"))))
    print(os.path.join(out, pack(root, out, tag, int(read(stage, "epoch")))))


if __name__ == "__main__":
    main()
