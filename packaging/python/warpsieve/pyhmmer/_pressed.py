# SPDX-License-Identifier: MIT
"""Pressed files of pyhmmer: their profiles stand for the models beside them, in the file .h3m."""
import os

from pyhmmer.easel import Alphabet
from pyhmmer.plan7 import HMMFile, HMMPressedFile, OptimizedProfile

from ._inputs import File, Theirs, check_model


class Pressed:
    """The models of profiles that come out of a pressed file, in their order."""

    def __init__(self, path):
        self._file, self._model = HMMFile(path), {}

    def check(self, profile, cutoffs):
        """Finds the model of the next profile. Raises Theirs if there is none."""
        if not isinstance(profile, OptimizedProfile):
            raise Theirs(f"a query is {type(profile).__name__}")
        hmm = next((hmm for hmm in self._file if hmm.name == profile.name and hmm.M == profile.M), None)
        if hmm is None:
            raise Theirs("a profile has no model in its file")
        check_model(hmm, profile.alphabet, cutoffs)
        self._model[id(profile)] = hmm

    def models(self, profiles):
        return [self._model.pop(id(profile)) for profile in profiles]


def _models_beside(pressed):
    path = os.path.abspath(pressed.name) + ".h3m"
    if not os.path.isfile(path):
        raise Theirs(f"{path} is not there")
    return path


def models_of(queries):
    """Returns the models of a pressed file that is searched with, or None for other queries. Raises Theirs if it has none."""
    return Pressed(_models_beside(queries)) if isinstance(queries, HMMPressedFile) else None


def file_of(profiles):
    """Returns the models of a pressed file as a file that programs read."""
    return File(_models_beside(profiles))


def alphabet_of(profiles):
    """Returns the alphabet of a pressed file, which is at its beginning thereafter."""
    first = profiles.read()
    profiles.rewind()
    return first.alphabet if first is not None else Alphabet.amino()
