"""The kernel of Headwater: how knowledge becomes answers.

Belongs here: everything that neither Dagster nor Flask needs to know. Not here: when it runs (`pipelines`), what exists
as an asset (`assets`), who asks (`query_api`, `cli`). Guarantee: importing it imports neither of those two.
"""

__version__ = "0.1.0"
