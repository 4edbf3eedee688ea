"""Measure how often the right document and page are among the first five, and the right quote is given.

Belongs here: asking the questions of a file of one knowledge base, and the figures. Not here: the knowledge base, which
is synced before (`bench/japanese_questions.json` names the repository of its own). Guarantee: everything goes through
the search and the answers that users get; nothing is stored.

    headwater add docs-ja ./src --embedding-model builtin/e5-multilingual-int8 && headwater sync docs-ja
    python -m bench.right_page docs-ja bench/japanese_questions.json

    headwater add reports ./pdfs && headwater sync reports
    python -m bench.right_page reports financebench_open_source.jsonl

Prints for each set of the file: the share of questions whose page is the first, and among the first five; MRR@20; how
many are refused; and in how many answers without a model the quote holds the fact. Of FinanceBench's questions, those
about documents of the knowledge base are searched for: the document, and the page in it that holds the evidence.
"""

import argparse
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from headwater.answering.answer_assembly import fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage
from headwater.retrieval.finder import Mode, SearchOptions
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.store import Store, open_store

FOUND = 20
SETS = ("questions", "english", "others")
"""Questions in the documents' language, in English, and those without an answer."""


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("knowledge_base")
    parser.add_argument("file")
    parser.add_argument("--mode", choices=get_args(Mode))
    given = parser.parse_args()
    if given.file.endswith(".jsonl"):
        _find_reports(given.knowledge_base, Path(given.file), given.mode)
        return
    sets = json.loads(Path(given.file).read_text(encoding="utf-8"))
    settings = Settings.from_env()
    with open_store(settings) as store:
        owner = store.knowledge_bases.get(given.knowledge_base)
        asked = replace(owner, settings=owner.settings.model_copy(update={"reuse_answers": False}))
        for name in SETS:
            questions = [one if isinstance(one, dict) else {"question": one} for one in sets.get(name, [])]
            ranks = [
                _rank(store, settings, owner, question, given.mode) for question in questions if "page" in question
            ]
            answers = [_answer(store, settings, asked, question) for question in questions]
            print(f"{name:10} {_figures(ranks)}{_counts(answers)}")


def _find_reports(slug: str, file: Path, mode: Any | None) -> None:
    """Search for the documents and pages of FinanceBench's questions, whose pages count from 0."""
    settings = Settings.from_env()
    questions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    with open_store(settings) as store:
        owner, index = store.knowledge_bases.get(slug), store.search_indexes.active(slug)
        asked = [
            question
            for question in questions
            if index and store.link_reading.documents_of_uri(index, f"{question['doc_name']}.pdf")
        ]
        documents, pages = [], []
        for one in asked:
            found = _search(store, settings, owner, one["question"], mode)
            right = [passage.uri == f"{one['doc_name']}.pdf" for passage in found]
            uris = list(dict.fromkeys(passage.uri for passage in found))
            documents.append(uris.index(f"{one['doc_name']}.pdf") + 1 if any(right) else None)
            evidence = {part["evidence_page_num"] + 1 for part in one["evidence"]}
            pages.append(
                _first(own and bool(evidence & _pages(passage)) for own, passage in zip(right, found, strict=True))
            )
        print(f"{len(asked)} questions about {len({one['doc_name'] for one in asked})} documents")
        print(f"document   {_figures(documents)}")
        print(f"page       {_figures(pages)}")


def _pages(passage: Passage) -> set[int]:
    """The pages of a passage of a PDF."""
    place = passage.places and passage.places.between(
        passage.start, passage.end, text=passage.text, offset=passage.start
    )
    return set(range(int(place.first), int(place.last) + 1)) if place else set()


def _first(right: Iterable[bool]) -> int | None:
    """The rank of the first that is right, from 1."""
    return next((rank for rank, is_right in enumerate(right, start=1) if is_right), None)


def _search(
    store: Store, settings: Settings, owner: KnowledgeBase, question: str, mode: Any | None
) -> tuple[Passage, ...]:
    options = SearchOptions(top_k=FOUND, group_by="passage")
    chosen = options if mode is None else replace(options, mode=mode)
    return search(store, settings, owner, question, chosen).passages


def _rank(
    store: Store, settings: Settings, owner: KnowledgeBase, one: Mapping[str, Any], mode: Any | None
) -> int | None:
    """The rank of the right page among the pages found, from 1; None if it was not found."""
    passages = _search(store, settings, owner, one["question"], mode)
    pages = list(dict.fromkeys(passage.uri for passage in passages))
    return pages.index(one["page"]) + 1 if one["page"] in pages else None


def _answer(store: Store, settings: Settings, owner: KnowledgeBase, one: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether a question is refused, and whether the answer holds its fact."""
    request = AnswerRequest(knowledge_base=owner, question=one["question"], is_fresh=True)
    answer = fold(AnswerMaker(store, settings, request, choose_answerer(store, settings, owner.settings)).events())
    text = re.sub(r"[`*]", "", answer.text)
    holds = "must" in one and all(re.search(pattern, text) for pattern in one["must"])
    return answer.reason is not None, holds and answer.reason is None


def _figures(ranks: list[int | None]) -> str:
    if not ranks:
        return ""
    reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
    first, five = (sum(rank is not None and rank <= most for rank in ranks) / len(ranks) for most in (1, 5))
    return f"first {first:.3f}, among five {five:.3f}, MRR@{FOUND} {reciprocal:.3f}; "


def _counts(answers: list[tuple[bool, bool]]) -> str:
    refused, right = (sum(answer[place] for answer in answers) for place in (0, 1))
    return f"{refused} of {len(answers)} refused, fact in the quote of {right}"


if __name__ == "__main__":
    main()
