# SPDX-License-Identifier: MIT
"""Options that a Pipeline of pyhmmer was told, for a program, and as a part of the state of its TopHits."""
import functools

from pyhmmer.easel import Alphabet, DigitalSequenceBlock, Randomness
from pyhmmer.plan7 import HMM, LongTargetsPipeline, Pipeline

from ._inputs import CUTOFFS, check_numbers

THRESHOLDS = (("T", "E"), ("domT", "domE"), ("incT", "incE"), ("incdomT", "incdomE"))  # scores come before E-values
MODES = {"T": "by_E", "domT": "dom_by_E", "incT": "inc_by_E", "incdomT": "incdom_by_E"}
STRANDS = {"watson": 0, "crick": 1, None: 2}


@functools.lru_cache(maxsize=None)
def _empty_state(kind, alphabet):
    """Returns that part of the state of a search of nothing, by a Pipeline that was told nothing."""
    alphabet = getattr(Alphabet, alphabet.lower())()
    small = kind(alphabet, **({"window_length": 100} if kind is LongTargetsPipeline else {}))
    return small.search_hmm(HMM.sample(alphabet, 2, Randomness(42)), DigitalSequenceBlock(alphabet)).__getstate__()["pipeline"]


class Options:
    """Options of a search, which pyhmmer's Pipeline has checked."""

    def __init__(self, pipeline, given):
        self.pipeline, self.given, self.long = pipeline, given, isinstance(pipeline, LongTargetsPipeline)
        self.cutoffs, self.strand = pipeline.bit_cutoffs, given.get("strand")  # strand of a Pipeline of pyhmmer 0.12.3 is wrong
        self._state = self._make_state()

    def words(self):
        """Returns a list of flags, and the options of a program as `arguments` takes them. Raises Theirs for a number that it refuses."""
        p, options = self.pipeline, {}
        for score, evalue in () if self.cutoffs else THRESHOLDS[::2] if self.long else THRESHOLDS:
            if getattr(p, score) is not None:
                options[score] = getattr(p, score)
            else:
                options[evalue] = getattr(p, evalue)
        for name in ("Z", "F1", "F2", "F3") + (("B1", "B2", "B3") if self.long else ("domZ",)):
            if getattr(p, name) is not None:
                options[name] = getattr(p, name)
        check_numbers(options)
        options.update(seed=p.seed, nobias=not p.bias_filter, nonull2=not p.null2)
        if self.long:
            options.update(watson=self.strand == "watson", crick=self.strand == "crick")
        return [CUTOFFS[self.cutoffs]] if self.cutoffs else [], options

    def _make_state(self):
        """Returns the part of the state of a TopHits that says the options."""
        p, state = self.pipeline, dict(_empty_state(type(self.pipeline), self.pipeline.alphabet.type))
        for score, evalue in THRESHOLDS:
            by_score = getattr(p, score) is not None or self.cutoffs is not None
            state[MODES[score]] = not by_score
            state[score], state[evalue] = getattr(p, score) or 0.0, getattr(p, evalue)
        for name in ("Z", "domZ"):
            state[name], state[name + "_setby"] = getattr(p, name) or 0.0, int(getattr(p, name) is not None)
        for name in ("F1", "F2", "F3") + (("B1", "B2", "B3") if self.long else ()):
            state[name] = getattr(p, name)
        state.update(use_bit_cutoffs=Pipeline._BIT_CUTOFFS.get(self.cutoffs, 0), do_biasfilter=p.bias_filter, do_null2=p.null2,
                     n_output=0, pos_output=0)
        if self.long:
            state.update(strands=STRANDS[self.strand], W=p.window_length or -1,
                         block_length=self.given.get("block_length", state["block_length"]))
        return state

    def state(self, hmm, scan=False):
        """Returns that part for hits of a model, whose cutoffs may be the thresholds."""
        state = dict(self._state, mode=int(scan))
        if self.cutoffs and hmm is not None:
            first, second = getattr(hmm.cutoffs, self.cutoffs)
            state.update(T=first, incT=first, domT=second, incdomT=second)
        return state
