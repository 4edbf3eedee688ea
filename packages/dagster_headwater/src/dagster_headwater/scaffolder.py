"""What `dg scaffold defs dagster_headwater.KnowledgeBaseComponent` writes.

Belongs here: the parameters, and the file. Not here: the component. Guarantee: the file can be run as it is, if its
folder of documents exists.
"""

from pathlib import PurePath

import dagster as dg
from pydantic import BaseModel, Field

from headwater.sources.source_kind import slug_of


class KnowledgeBaseScaffold(BaseModel):
    """What it asks for."""

    slug: str = Field(default="docs", description="The name of the knowledge base in addresses and keys.")
    path: str = Field(default="docs", description="A folder of documents, from the project's root.")
    upstream: str = Field(default="", description="The asset of the project that writes that folder, if one does.")


class KnowledgeBaseScaffolder(dg.Scaffolder[KnowledgeBaseScaffold]):
    """Writes a `defs.yaml` with one source."""

    @classmethod
    def get_scaffold_params(cls) -> type[KnowledgeBaseScaffold]:
        """The parameters."""
        return KnowledgeBaseScaffold

    def scaffold(self, request: dg.ScaffoldRequest[KnowledgeBaseScaffold]) -> None:
        """Write it."""
        parameters = request.params or KnowledgeBaseScaffold()
        source = {
            "slug": slug_of(PurePath(parameters.path).name, "files"),
            "kind": "folder",
            "config": {"path": parameters.path},
        }
        if parameters.upstream:
            source["deps"] = [parameters.upstream]
        dg.scaffold_component(
            request, {"knowledge_base": {"slug": parameters.slug}, "sources": [source], "schedule": "0 3 * * *"}
        )
