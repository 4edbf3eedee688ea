"""Links from assets to their code, for the Dagster UI.

Belongs here: the file and line of each asset. Not here: the assets. Guarantee: this is the only use of this part of
Dagster, which is in beta; it takes a few milliseconds at load.
"""

import inspect
import warnings
from collections.abc import Sequence

import dagster as dg

from headwater.syncing.stages import STAGES

Asset = dg.AssetsDefinition | dg.AssetSpec
_KEY = "dagster/code_references"
_WORKS = {stage.name: stage.work.complete for stage in STAGES}


def with_code_references(assets: Sequence[Asset]) -> list[Asset]:
    """Add the location of each asset's function and, for a stage, of its own work."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # otherwise each command that starts a run would print it
        noted = dg.with_source_code_references(assets)
        return [
            new.map_asset_specs(_with_stage) if isinstance(new, dg.AssetsDefinition) else old
            for old, new in zip(assets, noted, strict=True)
        ]


def _with_stage(spec: dg.AssetSpec) -> dg.AssetSpec:
    work = _WORKS.get(spec.key.to_user_string())
    if work is None:
        return spec
    # A function knows its line. For a class, the file would have to be parsed, which Python 3.11 cannot do in two
    # threads at once ("AST constructor recursion depth mismatch").
    stage_reference = dg.LocalFileCodeReference(
        file_path=inspect.getfile(work), line_number=work.__code__.co_firstlineno
    )
    chain = spec.metadata[_KEY].code_references
    references = dg.CodeReferencesMetadataValue(code_references=[stage_reference, *chain])
    return spec.replace_attributes(metadata={**spec.metadata, _KEY: references})
