"""The two partition sets.

Belongs here: their definitions. Not here: their keys, which are rows: a source's is `<knowledge base>/<source>`.
Guarantee: Dagster does not check dynamic keys, so every key consists of checked slugs.
"""

import warnings

import dagster as dg

# Checks by partition are in preview: without this, every sync would print a warning.
warnings.filterwarnings("ignore", "Specifying a partitions_def on an AssetCheckSpec", dg.PreviewWarning)

SOURCES = dg.DynamicPartitionsDefinition(name="sources")
KNOWLEDGE_BASES = dg.DynamicPartitionsDefinition(name="knowledge_bases")
