"""The two partition sets.

Belongs here: their definitions. Not here: their keys, which are rows: a source's is `<knowledge base>/<source>`.
Guarantee: Dagster checks no dynamic key, so every key is made of slugs that were checked.
"""

import dagster as dg

SOURCES = dg.DynamicPartitionsDefinition(name="sources")
KNOWLEDGE_BASES = dg.DynamicPartitionsDefinition(name="knowledge_bases")
