"""Links from the Dagster UI to Headwater's own pages.

Belongs here: the links of each asset's definition. Not here: the assets, links of a partition (`assets.reports`).
Guarantee: the address is the one that the settings give the API.
"""

from collections.abc import Sequence

import dagster as dg

from assets.descriptions import PAGE
from headwater.settings import Settings
from pipelines.code_references import Asset


def with_pages(assets: Sequence[Asset], settings: Settings) -> list[Asset]:
    """Link each asset to its page of the documentation, and to the description of the HTTP API that serves it."""
    link = {"api_documentation": dg.MetadataValue.url(f"{settings.api_url}/openapi/swagger")}

    def linked(spec: dg.AssetSpec) -> dg.AssetSpec:
        page = {PAGE: dg.MetadataValue.url(f"{settings.api_url}/{spec.metadata[PAGE].value}")}
        return spec.replace_attributes(metadata={**spec.metadata, **page, **link})

    return list(dg.map_asset_specs(linked, assets))
