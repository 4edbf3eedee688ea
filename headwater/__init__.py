"""The kernel of Headwater: how knowledge becomes answers.

Belongs here: all code that needs neither Dagster nor Flask. Not here: when it runs (`pipelines`), which assets exist
(`assets`), who asks (`query_api`, `cli`). Guarantee: importing it imports neither Dagster nor Flask.
"""

__version__ = "0.1.0"
