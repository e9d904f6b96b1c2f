"""Guarantees for data sets of which one has a record more, beside those for one record replaced.

Where the parameters of a mechanism depend on n, its number of records is public and no such guarantee exists. A mean
over n records and the mean over those and one more differ by 1/(n + 1) of the difference between the further record's
value and the mean of the others, which is within the range of single values: what a replaced record moves a mean over
n by bounds what a record added to n or taken from n does.
"""

from __future__ import annotations

from dataclasses import replace

from dpbench.core import validation
from dpbench.privacy.profile import Profile

NEIGHBOURS = ("replace", "add_remove")
MEANS = "means over n and n + 1 records differ by at most what one replaced among n does"


def as_add_remove(profile: Profile, why: str) -> Profile:
    """A profile proved for replace-one whose bound covers a record added or removed, as `why` says."""
    return replace(profile, neighbours="add_remove", why=f"{profile.why}; add/remove: {why}")


def record_counts(n: int, neighbours: str) -> tuple[int, ...]:
    """The numbers of records that a data set of n and its neighbours have."""
    validation.choice("neighbours", neighbours, NEIGHBOURS)
    return (n,) if neighbours == "replace" else (n, n + 1, max(n - 1, 1))


CUTS = "the parts that the records are cut into follow n, so that one more record changes all of them"
"""Of boosting and grid search: their disjoint parts compose in parallel for a replaced record only."""
