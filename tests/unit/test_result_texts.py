"""What a terminal shows of a search and of an evaluation."""

from typing import Any

import click

from cli.commands.links import dead_text
from cli.evaluation_texts import evaluation_text
from cli.result_texts import deletion_text, document_text, excerpt_text
from cli.status_texts import status_text
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings


def _passage(text: str, start: int, end: int, *matches: tuple[int, int]) -> dict[str, Any]:
    shown = [{"start": first, "end": last} for first, last in matches]
    return {"text": text, "excerpt": {"text": text[start:end], "start": start, "end": end, "matches": shown}}


def test_the_part_that_matched_is_shown_in_one_line_with_its_words_bold() -> None:
    """Dots say that there is more before and behind; control characters of the text are none of the terminal's."""
    text = "Before. The\npump\x1b[31m lifts water. Behind."
    shown = excerpt_text(_passage(text, 8, 34, (4, 8)))
    assert click.unstyle(shown) == "… The pump [31m lifts water. …"
    assert click.style("pump", bold=True) in shown
    assert excerpt_text(_passage("All of it.", 0, 10)) == "All of it."


def test_the_worst_questions_name_the_page_that_was_wanted() -> None:
    """Else what was wanted reads like what was found instead, which is another page of the same file."""
    result = {
        "question": "What turns the shaft?",
        "relevant": [{"uri": "guide.pdf", "page": 7}, {"uri": "notes.md", "page": None}],
        "found": ["guide.pdf#page=2"],
        "metrics": {"ndcg_at_10": 0.0},
    }
    metrics = {"ndcg_at_10": 0.0, "recall_at_10": 0.0, "mrr": 0.0}
    report = {
        "question_count": 1,
        "model": "m",
        "search_index_id": 1,
        "metrics": metrics,
        "counts": {},
        "answer_model": None,
        "judge_model": None,
        "worst": [result],
    }
    assert "wanted guide.pdf#page=7, notes.md; found guide.pdf#page=2" in evaluation_text(report)


def test_a_part_without_a_name_is_not_shown() -> None:
    """Such as a block of Notion, whose address is enough."""
    found = {"link": "https://a.test/#0a", "uri": "x", "place": {"label": ""}}
    assert document_text(found) == "https://a.test/#0a"
    assert document_text({**found, "place": {"label": "comment 12"}}) == "https://a.test/#0a, comment 12"


def test_a_receipt_counts_what_people_know_in_words() -> None:
    """Nothing that was not there, and no table that only programs know."""
    removed = {"sync_sources": 3, "documents": 1, "sources": 1, "summaries": 2, "document_versions": 1200, "chunks": 0}
    receipt = {"key": "kb/docs", "id": 7, "removed": removed, "files_removed": 0, "finished_at": "2026-12-01"}
    assert deletion_text(receipt) == "Deleted kb/docs (receipt 7): 1 source, 1 document, 1,200 versions, 2 summaries."
    assert deletion_text({**receipt, "removed": {"syncs": 1}}) == "Deleted kb/docs (receipt 7): it was empty."
    assert deletion_text({**receipt, "removed": {}, "files_removed": 1}).endswith(": 1 stored file.")


def test_the_status_of_a_knowledge_base_begins_with_its_sources() -> None:
    """Then the settings that differ from the defaults, and the largest categories; all of both if asked."""
    settings = KnowledgeBaseSettings(top_k=7).model_dump(mode="json")
    categories = {"api": 1, **{f"guide{number}": 10 + number for number in range(6)}}
    owner = {"slug": "kb", "name": "kb", "sources": [], "settings": settings, "categories": categories}
    assert status_text({"knowledge_bases": [owner]}).splitlines() == [
        "kb",
        "  no source yet",
        "  settings that differ from the defaults:",
        "    top_k: 7",
        "  categories:",
        *(f"    guide{number}: {10 + number} documents" for number in (5, 4, 3, 2, 1)),
        "    and 2 more",
        "  `headwater status kb --settings` shows every setting and category.",
    ]
    lines = status_text({"knowledge_bases": [owner]}, with_all=True).splitlines()
    assert lines[2] == "  settings:"
    assert f'    embedding_model: "{settings["embedding_model"]}"' in lines
    assert sum(line.startswith("    ") for line in lines) == len(settings) + len(categories)
    assert lines[-7] == "    api: 1 document"


def test_dead_links_of_a_document_are_grouped_by_their_target() -> None:
    """With the words that lead to it, each once; only the first lines and words are shown."""

    def link(line: int, target: str, words: str, uri: str = "a.md") -> dict[str, Any]:
        return {"link": target, "words": words, "origin": {"source": "docs", "uri": uri, "line": line}}

    links = [link(3, "g", "page"), link(3, "b.md", ""), link(3, "g", "page"), link(9, "g", "bundle")]
    links += [link(line, "g", f"word {line}", "b.md") for line in range(1, 8)]
    assert dead_text({"dead_links": links}, "kb").splitlines() == [
        "docs: a.md",
        "  lines 3, 9: g (3 times: “page”, “bundle”)",
        "  line 3: b.md",
        "docs: b.md",
        "  lines 1, 2, 3, 4, 5, …: g (7 times: “word 1”, “word 2”, “word 3”, “word 4”, “word 5”, …)",
    ]
