"""The resources of the shop."""

import dagster as dg
from dagster_headwater import HeadwaterResource


@dg.definitions
def resources() -> dg.Definitions:
    """Headwater, where the knowledge base is."""
    return dg.Definitions(resources={"headwater": HeadwaterResource(url_variable="SHOP_HEADWATER_DATABASE")})
