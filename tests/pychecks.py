# SPDX-License-Identifier: MIT
"""Checks that pymem.py and pylong.py share."""


def same(a, b):
    """Fails where two lists, or the lines of two texts in bytes, differ or are empty."""
    assert a and b, (a, b)
    a, b = (x.split(b"\n") if isinstance(x, bytes) else x for x in (a, b))
    assert len(a) == len(b), (len(a), len(b))
    for x, y in zip(a, b):
        assert x == y, (x, y)


def refused(what, error, *patterns):
    """Fails unless a call raises this error with a sentence that has all patterns, and no path of ours."""
    try:
        what()
    except error as e:
        assert all(p in str(e) for p in patterns), (str(e), patterns)
        assert "/proc/self/fd" not in str(e), e
    else:
        raise AssertionError(f"no {error} with {patterns}")
