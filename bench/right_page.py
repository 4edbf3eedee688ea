"""Measure how often the right page is among the first five, and the right quote is given, in any language.

Belongs here: asking the questions of a file of one knowledge base, and the figures. Not here: the knowledge base, which
is synced before (`bench/japanese_questions.json` names the repository of its own). Guarantee: everything goes through
the search and the answers that users get; nothing is stored.

    headwater add docs-ja ./src --embedding-model builtin/e5-multilingual-int8 && headwater sync docs-ja
    python -m bench.right_page docs-ja bench/japanese_questions.json

Prints for each set of the file: the share of questions whose page is the first, and among the first five; MRR@20; how
many are refused; and in how many answers without a model the quote holds the fact.
"""

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from headwater.answering.answerers import choose_answerer
from headwater.answering.folding import fold
from headwater.answering.making import Making
from headwater.answering.request import AnswerRequest
from headwater.domain.corpus import KnowledgeBase
from headwater.retrieval.finding import Mode, SearchOptions
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
    sets = json.loads(Path(given.file).read_text(encoding="utf-8"))
    settings = Settings.from_env()
    with open_store(settings) as store:
        owner = store.knowledge_bases.get(given.knowledge_base)
        asked = replace(owner, settings=owner.settings.model_copy(update={"reuse_answers": False}))
        for name in SETS:
            questions = [one if isinstance(one, dict) else {"question": one} for one in sets.get(name, [])]
            ranks = [_rank(store, settings, owner, one, given.mode) for one in questions if "page" in one]
            answers = [_answer(store, settings, asked, one) for one in questions]
            print(f"{name:10} {_figures(ranks)}{_counts(answers)}")


def _rank(
    store: Store, settings: Settings, owner: KnowledgeBase, one: Mapping[str, Any], mode: Any | None
) -> int | None:
    """The rank of the right page among the pages found, from 1; None if it was not found."""
    options = SearchOptions(top_k=FOUND, group_by="passage")
    chosen = options if mode is None else replace(options, mode=mode)
    passages = search(store, settings, owner, one["question"], chosen).passages
    pages = list(dict.fromkeys(passage.uri for passage in passages))
    return pages.index(one["page"]) + 1 if one["page"] in pages else None


def _answer(store: Store, settings: Settings, owner: KnowledgeBase, one: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether a question is refused, and whether the answer holds its fact."""
    request = AnswerRequest(knowledge_base=owner, question=one["question"], is_fresh=True)
    answer = fold(Making(store, settings, request, choose_answerer(store, settings, owner.settings)).events())
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
    refused, right = (sum(one[place] for one in answers) for place in (0, 1))
    return f"{refused} of {len(answers)} refused, fact in the quote of {right}"


if __name__ == "__main__":
    main()
