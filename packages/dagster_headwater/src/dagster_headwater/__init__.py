"""Headwater's knowledge bases in other people's Dagster projects.

Belongs here: what such a project names. Not here: Headwater's own Dagster application (`assets`, `pipelines`).
Guarantee: public names of Dagster only; importing this opens no connection.
"""

from dagster_headwater.component import KnowledgeBaseComponent
from dagster_headwater.resource import HeadwaterResource

__all__ = ["HeadwaterResource", "KnowledgeBaseComponent"]
