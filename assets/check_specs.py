"""Declaring a check of a knowledge base.

Belongs here: this one function. Not here: any check. Guarantee: results are stored per knowledge base, so that one
never hides another's.
"""

import warnings

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES


def knowledge_base_check(asset: str, name: str, description: str) -> dg.AssetCheckSpec:
    """Declare a check on an asset that has a partition per knowledge base.

    Args:
        asset: the asset's key.
        name: the check's name.
        description: what holds when it passes.
    """
    with warnings.catch_warnings():
        # Dagster is pinned, and a test checks the partition of each result; users need not see the warning.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.AssetCheckSpec(name, asset=asset, partitions_def=KNOWLEDGE_BASES, description=description)
