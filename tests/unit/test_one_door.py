"""Command line and API change nothing by themselves: both call `headwater.administration`."""

import ast
from collections.abc import Iterator
from pathlib import Path

from headwater.settings import REPOSITORY
from headwater.store.catalogue.deletions import DeletionStore
from headwater.store.catalogue.knowledge_bases import KnowledgeBaseStore
from headwater.store.catalogue.sources import SourceStore
from headwater.store.content.uploads import UploadStore
from headwater.store.search.search_indexes import SearchIndexStore
from headwater.store.work.bots import BotStore
from headwater.store.work.evaluations import EvaluationStore
from headwater.store.work.syncs import SyncStore

DOORS = sorted([*(REPOSITORY / "query_api").rglob("*.py"), *(REPOSITORY / "cli").glob("*.py"),
                *(REPOSITORY / "cli" / "commands").glob("*.py")])  # fmt: skip
CHANGES = {
    "knowledge_bases": (KnowledgeBaseStore.create, KnowledgeBaseStore.update),
    "sources": (SourceStore.create, SourceStore.update, SourceStore.await_sync, SourceStore.confirm_deletions),
    "uploads": (UploadStore.put, UploadStore.delete),
    "syncs": (SyncStore.request, SyncStore.cancel),
    "deletions": (DeletionStore.hide_source, DeletionStore.hide_knowledge_base, DeletionStore.finish),
    "evaluations": (EvaluationStore.replace_golden_questions,),
    "search_indexes": (SearchIndexStore.activate,),
    "bots": (BotStore.put_channel, BotStore.remove_channel, BotStore.add_event),
}
CHECKS = {"check_model", "check_reranker", "check_config", "check_golden_set"}


def test_a_door_leaves_checking_and_changing_to_the_kernel() -> None:
    """So that what one of them refuses, the other refuses too, in the same words."""
    changes = {f"{part}.{method.__name__}" for part, methods in CHANGES.items() for method in methods}
    wrong = {str(door.relative_to(REPOSITORY)): (changes | CHECKS) & set(_uses(door)) for door in DOORS}
    assert {door: names for door, names in wrong.items() if names} == {}


def _uses(door: Path) -> Iterator[str]:
    """Every name, and every attribute of an attribute."""
    for node in ast.walk(ast.parse(door.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            yield f"{node.value.attr}.{node.attr}"
        if isinstance(node, ast.Name):
            yield node.id
