"""A description of a table by DataSynthesizer. It runs in the environment of that library, which does not have us."""

import json
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pandas as pd
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.lib import PrivBayes

PrivBayes.Pool = ThreadPool  # a pool of processes a run takes a third of a second; what it computes is the same


def describe(records, *, epsilon, correlated=False, ranges=None, domains=None, only=None, seed=None):
    """What the describer publishes of records [age, kind], of which only the kind is categorical.

    `ranges` and `domains` are declared to it, or else read from the data; without a `seed` it takes its own. `only`
    names what comes out: a key of each attribute's description, "num_tuples", "conditional_probabilities", or all.
    """
    with tempfile.TemporaryDirectory() as folder:
        table, domain = Path(folder, "table.csv"), Path(folder, "domains.json")
        pd.DataFrame(records, columns=["age", "kind"]).to_csv(table, index=False)
        domain.write_text(json.dumps(domains or {}), encoding="utf-8")
        published = {
            "epsilon": epsilon,
            "attribute_to_datatype": {"age": "Float", "kind": "String"},
            "attribute_to_is_categorical": {"age": False, "kind": True},
            "attribute_to_is_candidate_key": {"age": False, "kind": False},
            "numerical_attribute_ranges": ranges,
            "categorical_attribute_domain_file": str(domain) if domains else None,
        }
        published |= {} if seed is None else {"seed": seed}
        describer = DataDescriber(histogram_bins=2)
        if correlated:
            describer.describe_dataset_in_correlated_attribute_mode(str(table), k=1, **published)
        else:
            describer.describe_dataset_in_independent_attribute_mode(str(table), **published)
    description = describer.data_description
    attributes = description["attribute_description"]
    if only == "num_tuples":
        return description["meta"][only]
    if only == "noisy":
        noisy = [attributes[name]["distribution_probabilities"] for name in ("age", "kind")]
        return [*noisy, description["conditional_probabilities"]] if correlated else noisy
    return attributes if only is None else {name: attributes[name][only] for name in attributes}
