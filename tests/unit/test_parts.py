"""The parts of everything there is."""

import time
from uuid import uuid4

from headwater.domain.summaries import DocumentName
from headwater.retrieval.parts import find_parts


def names(*uris: str) -> list[DocumentName]:
    """Documents of one source, with a title if their file's name begins with a letter."""
    return [
        DocumentName(document_id=uuid4(), source="s", uri=uri, title="" if "_" in uri else f"Title of {uri}")
        for uri in uris
    ]


def test_a_folder_that_holds_nearly_all_is_no_part_beside_others() -> None:
    """Its own folders are the parts then, at any depth; what lies outside is counted among the others (SUM-4)."""
    inside = [f"docs/general/{folder}/{number}.md" for folder in ("server", "clients") for number in range(5)]
    parts = find_parts(names(*inside, "docs/general/about.md", "docs/index.md"))
    assert [(part.label, part.count) for part in parts] == [("clients", 5), ("server", 5), ("", 2)]


def test_a_folder_without_folders_stays_a_part() -> None:
    """Even if it holds nearly all documents: there is nothing else to name."""
    parts = find_parts(names(*(f"notebooks/{number}.md" for number in range(9)), "txt/a.md", "README.md"))
    assert [(part.label, part.count) for part in parts] == [("notebooks", 9), ("txt", 1), ("", 1)]


def test_documents_without_a_title_and_data_are_named_last() -> None:
    """A page of a site is, and not the file that orders the pages; a folder of such files has nothing else."""
    documents = names("a/_category_.yml", "a/_part.md", "a/page.md", "b/1.yml", "b/2.yml")
    (first, second) = find_parts(documents)
    assert (first.count, first.shown) == (3, (documents[2].document_id,))
    assert len(second.shown) == 2
    assert find_parts([]) == ()


def test_deep_folders_take_no_time() -> None:
    """A folder's documents are looked at once on the way down; all 1,500 above them took four seconds."""
    deep = "/".join(["d"] * 1_500)
    documents = names(*(f"{deep}/{number % 3}/{number}.md" for number in range(200)))
    started = time.process_time()
    assert [part.label for part in find_parts(documents)] == ["0", "1", "2"]
    assert time.process_time() - started < 1
