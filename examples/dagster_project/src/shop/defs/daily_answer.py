"""An asset of the shop's own that asks the knowledge base."""

import dagster as dg
from dagster_headwater import HeadwaterResource


@dg.asset(deps=[dg.AssetKey(["support", "search_index"])], group_name="reports")
def daily_answer(headwater: HeadwaterResource) -> dg.MaterializeResult[None]:
    """What the knowledge base says about the commonest question, and where that comes from."""
    answer = headwater.ask("support", "Why does the machine leak?")
    origins = [
        {"document": one["uri"], "upstream": [asset["asset"] for asset in one["upstream"]]}
        for one in headwater.trace(answer.id)
    ]
    return dg.MaterializeResult(metadata={"answer": answer.answer, "origins": dg.MetadataValue.json(origins)})
