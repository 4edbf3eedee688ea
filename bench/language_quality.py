"""Measure search and refusals in languages other than English.

Belongs here: asking the questions of `bench/language_sets`, and the figures. Not here: the sets, which were written for
this: eight short documents in each of six languages, 20 questions that they answer, 12 on other subjects. Guarantee:
everything goes through a sync and a search like a user's.

    python -m bench.language_quality
    python -m bench.language_quality --model builtin/hash --mixed

Prints for each language: MRR@10 of the default search and of keyword search, by document; how many of the questions
with an answer are refused at the default floor; and how many of those without one are.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETS = Path(__file__).parent / "language_sets"
LIMIT = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Of one language."""

    name: str
    default: float
    keyword: float
    wrongly_refused: Sequence[str]
    refused: int
    wrongly_answered: Sequence[str]


def main() -> None:
    """Sync the sets, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="builtin/minilm-int8")
    parser.add_argument("--mixed", action="store_true", help="all languages in one knowledge base")
    parser.add_argument("--verbose", action="store_true", help="name the questions that went wrong")
    given = parser.parse_args()
    for figures in measure(given.model, is_mixed=given.mixed):
        wrong = len(figures.wrongly_refused)
        print(
            f"{figures.name:4} MRR@10 default {figures.default:.3f}, keyword {figures.keyword:.3f}; "
            f"refused: {wrong} of those with an answer, {figures.refused} of those without one"
        )
        if given.verbose:
            for question in (*figures.wrongly_refused, *figures.wrongly_answered):
                print(f"       {question}")


def read_sets() -> dict[str, Any]:
    """The sets, by language."""
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(SETS.glob("*.json"))}


def measure(model: str, *, is_mixed: bool) -> list[Figures]:
    """Sync and ask; a mixed knowledge base holds all languages."""
    from bench.throwaway import throwaway_home

    with throwaway_home() as home:
        from cli.environment import dagster_instance, environment

        with environment() as env, dagster_instance(env.settings) as instance:
            sets = read_sets()
            for language, one in sets.items():
                place = home / ("mixed" if is_mixed else language) / "docs"
                place.mkdir(parents=True, exist_ok=True)
                for document in one["documents"]:
                    text = f"# {document['title']}\n\n{document['text']}\n"
                    (place / f"{language}-{document['name']}.md").write_text(text, encoding="utf-8")
            for slug in ["mixed"] if is_mixed else list(sets):
                _sync(env, instance, slug, home / slug / "docs", model)
            return [_ask(env, "mixed" if is_mixed else language, language, one) for language, one in sets.items()]


def _sync(env: Any, instance: Any, slug: str, folder: Path, model: str) -> None:
    from bench.throwaway import sync
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings

    spec = KnowledgeBaseSpec(
        slug=slug,
        name=slug,
        description="",
        settings=KnowledgeBaseSettings.model_validate({"embedding_model": model}),
        sources=(SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(folder)}),),
    )
    apply(env.store, spec)
    sync(env, instance, slug)


def _ask(env: Any, slug: str, language: str, one: dict[str, Any]) -> Figures:
    from headwater.answering.direct_answer import ask
    from headwater.retrieval.finder import SearchOptions
    from headwater.retrieval.search import search

    kb = env.store.knowledge_bases.get(slug)

    def reciprocal(question: str, name: str, options: SearchOptions) -> float:
        found = search(env.store, env.settings, kb, question, options).passages
        uris = list(dict.fromkeys(passage.uri for passage in found))
        wanted = f"{language}-{name}.md"
        return 1 / (1 + uris.index(wanted)) if wanted in uris else 0.0

    asked = one["questions"]
    default = [reciprocal(question, name, SearchOptions(top_k=LIMIT)) for question, name in asked]
    keyword = [reciprocal(question, name, SearchOptions(top_k=LIMIT, mode="keyword")) for question, name in asked]
    answered = {
        question: not ask(env.store, env.settings, kb, question).refused
        for question in [*(question for question, _ in asked), *one["others"]]
    }
    return Figures(
        name=language,
        default=sum(default) / len(default),
        keyword=sum(keyword) / len(keyword),
        wrongly_refused=[question for question, _ in asked if not answered[question]],
        refused=sum(not answered[question] for question in one["others"]),
        wrongly_answered=[question for question in one["others"] if answered[question]],
    )


if __name__ == "__main__":
    main()
