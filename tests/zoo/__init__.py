"""Mechanisms with exact laws, by which the auditor is judged: `registry.REGISTRY` is the one table.

`laws` has the exact laws of log-ratios and the oracle; `published`, `second`, `third` and `practice` the mechanisms;
`adaptive` those of which one quantity decides which others matter, with exact log-ratios; `outputs` one leak in forty
kinds of output; `dependent` samplers whose runs depend, and some whose runs do not; `validity` correct mechanisms at
claims that hold exactly. All reach the auditor by public names.
"""
