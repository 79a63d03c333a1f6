# SPDX-License-Identifier: MIT
"""warpsieve.patch: puts warpsieve's searches in the place of pyhmmer's own, and takes them away again."""
import threading

import pyhmmer
import pyhmmer.hmmer

from . import hmmer

_lock = threading.Lock()
_patches = []  # those that hold
_before = []   # (module, name, function) that stood there


def _places():
    """Yields each module that has a function of pyhmmer, and its name."""
    for name in hmmer.THEIRS:
        for module in (pyhmmer, pyhmmer.hmmer, getattr(pyhmmer.hmmer, "_" + name)):
            if hasattr(module, name):
                yield module, name


class Patch:
    """warpsieve's searches in pyhmmer's place, until undo(), or the end of a with statement."""

    def __init__(self, backend):
        with _lock:
            self._backend, hmmer.default_backend = hmmer.default_backend, backend
            if not _patches:
                _before[:] = [(module, name, getattr(module, name)) for module, name in _places()]
                for module, name, _ in _before:
                    setattr(module, name, getattr(hmmer, name))
            _patches.append(self)

    def undo(self):
        """Puts pyhmmer's own functions back, unless another patch holds. A second time it does nothing."""
        with _lock:
            if self not in _patches:
                return
            _patches.remove(self)
            hmmer.default_backend = self._backend if _patches else None
            if not _patches:
                _restore()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.undo()


def _restore():
    for module, name, function in _before:
        if getattr(module, name) is getattr(hmmer, name):  # another library may have put its own there since
            setattr(module, name, function)
    _before.clear()


def undo_all():
    with _lock:
        _patches.clear()
        hmmer.default_backend = None
        _restore()
