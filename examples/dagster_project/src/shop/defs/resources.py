"""The resources of the shop."""

import dagster as dg
from dagster_headwater import HeadwaterResource


@dg.definitions
def resources(context: dg.ComponentLoadContext) -> dg.Definitions:
    """Headwater, where the knowledge base is."""
    home = str(context.project_root / ".headwater")  # as the component has it; a run may work in another folder
    return dg.Definitions(resources={"headwater": HeadwaterResource(home=home, url_variable="SHOP_HEADWATER_DATABASE")})
