"""The two partition sets.

Belongs here: their definitions. Not here: their keys, which are rows: a source's is `<knowledge base>/<source>`.
Guarantee: Dagster checks no dynamic key, so every key is made of slugs that were checked.
"""

import warnings

import dagster as dg

# Checks by partition are in preview, and Dagster is pinned: without this every sync would say so on stderr.
warnings.filterwarnings("ignore", "Specifying a partitions_def on an AssetCheckSpec", dg.PreviewWarning)

SOURCES = dg.DynamicPartitionsDefinition(name="sources")
KNOWLEDGE_BASES = dg.DynamicPartitionsDefinition(name="knowledge_bases")
