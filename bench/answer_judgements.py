"""Measure how well the rules that judge answers, or a judge model, agree with a reader.

Belongs here: 60 answers to questions about the shared data with a reader's verdicts, and Cohen's kappa. Not here: the
rules (`headwater.evaluation.rule_judge`) and the judge (`headwater.evaluation.model_judge`). Guarantee: nothing is
written; no database is needed, and a model only if one is named.

    python -m bench.answer_judgements --data ../shared/data [--wrong] [--gguf FILE | --model NAME]

`judged_answers.jsonl` holds three kinds of lines: questions that the shared data has no file for, spans of its
documents by their first and last words, and answers with the verdicts. An answer of null quotes its spans, as the
answerer without a model does; the others were written, many with a claim, a number or a citation that is wrong on
purpose. A reader read each answer beside its spans and decided:

- `supported`: the cited spans state everything that the answer claims;
- `relevant`: the answer gives the expected answer, or a main part of it;
- `citations_right`: for each citation, whether it leads to a place that states a part of the expected answer.

The limits of the rules were chosen on one half of the answers, by the hash of their ids. `--wrong` prints where the
rules and the reader disagree in that half; the other half stays unseen.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from bench.exam.model_server import serve_model
from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.places import PlaceKind, PlaceRange
from headwater.evaluation.claims import CitedText, GivenAnswer, claims_of
from headwater.evaluation.metrics import cohen_kappa
from headwater.evaluation.model_judge import Judge
from headwater.evaluation.rule_judge import judge_by_rule
from headwater.evaluation.verdicts import Verdicts
from headwater.models_gateway.chat_registry import check_chat_model, load_chat_model
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from headwater.settings import Settings

JUDGED = Path(__file__).with_name("judged_answers.jsonl")
FOLDERS = {"nebari": "docs/nebari", "flask": "docs/flask", "northwind": "pdf/azure-northwind"}
_ENGLISH = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """An answer, what a reader decided, and what the rules or a model decided."""

    id: str
    given: GivenAnswer
    is_supported: bool
    is_relevant: bool
    citations_right: tuple[bool, ...]
    verdicts: Verdicts

    def pairs(self, dimension: str) -> list[tuple[bool, bool]]:
        """The verdicts of the reader and of the rules or the model on one of three questions."""
        match dimension:
            case "supported":
                return [(self.is_supported, all(self.verdicts.claims))]
            case "relevant":
                return [(self.is_relevant, self.verdicts.is_relevant)]
            case _:
                return list(zip(self.citations_right, self.verdicts.citations, strict=True))


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the shared data")
    parser.add_argument("--wrong", action="store_true", help="print disagreements in the half that limits came from")
    models = parser.add_mutually_exclusive_group()
    models.add_argument("--gguf", type=Path, help="a model file, which judges instead of the rules")
    models.add_argument("--model", help="a configured model, which judges instead of the rules")
    given = parser.parse_args()
    judged = list(read_judged(given.data.resolve()))
    if given.model:
        judged = list(_judged_by(check_chat_model(given.model), judged))
    elif given.gguf:
        with serve_model(given.gguf) as model:
            judged = list(_judged_by(model.name, judged))
    tuned, held_out = halves(judged)
    if given.wrong:
        _print_wrong(tuned)
    print(f"{'':12}{'tuned on 30':>14}{'other 30':>14}{'all 60':>14}")
    for dimension in ("supported", "relevant", "citations"):
        figures = "".join(f"{_kappa(some, dimension):>14}" for some in (tuned, held_out, [*tuned, *held_out]))
        print(f"{dimension:12}{figures}")
    print(f"{'together':12}" + "".join(f"{_kappa(some):>14}" for some in (tuned, held_out, [*tuned, *held_out])))


def read_judged(data: Path, file: Path = JUDGED) -> Iterator[Judged]:
    """Yield every answer with the verdicts of the reader and of the rules."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    questions = {**_of_files(data), **{line["id"]: line for line in lines if line["kind"] == "question"}}
    spans = {line["name"]: line for line in lines if line["kind"] == "span"}
    for line in lines:
        if line["kind"] == "answer":
            cited = [_cited(data, spans[name], place) for place, name in enumerate(line["citations"], start=1)]
            given = make_given(_golden(questions[line["question_id"]]), line["answer"], cited)
            yield Judged(
                id=line["id"],
                given=given,
                is_supported=line["supported"],
                is_relevant=line["relevant"],
                citations_right=tuple(line["citations_right"]),
                verdicts=judge_by_rule(given),
            )


def _judged_by(model: str, judged: Sequence[Judged]) -> Iterator[Judged]:
    """The answers with the verdicts of a model; leaves out those that it did not decide on, and says how many."""
    judge, undecided = Judge(load_chat_model([model], Settings.from_env()), KnowledgeBaseSettings()), 0
    for answer in judged:
        verdicts = judge.decide(answer.given)
        if verdicts is None:
            undecided += 1
        else:
            yield replace(answer, verdicts=verdicts)
    print(f"The model's reply had no use for {undecided} of {len(judged)} answers.")


def make_given(golden: GoldenQuestion, text: str | None, cited: Sequence[CitedText]) -> GivenAnswer:
    """The answer that is judged; without a text it quotes what it cites."""
    text = "\n\n".join(f"{one.text.strip()}\n\n{one.marker}" for one in cited) if text is None else text
    return GivenAnswer(
        golden=golden,
        text=text,
        is_refused=False,
        claims=claims_of(text, _ENGLISH),
        citations=tuple(cited),
        language=_ENGLISH,
    )


def halves(judged: Sequence[Judged]) -> tuple[list[Judged], list[Judged]]:
    """The half that the limits were chosen on, and the other one."""
    ordered = sorted(judged, key=lambda one: hashlib.sha256(one.id.encode()).hexdigest())
    return ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :]


def kappa(judged: Sequence[Judged], *dimensions: str) -> float | None:
    """Cohen's kappa between the reader and the judge over all verdicts of some dimensions, by default of all."""
    wanted = dimensions or ("supported", "relevant", "citations")
    pairs = [pair for one in judged for dimension in wanted for pair in one.pairs(dimension)]
    return cohen_kappa([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def _kappa(judged: Sequence[Judged], *dimensions: str) -> str:
    found = kappa(judged, *dimensions)
    return "–" if found is None else f"{found:.2f}"


def _golden(question: Mapping[str, Any]) -> GoldenQuestion:
    return GoldenQuestion(
        question=question["question"],
        relevant=tuple(RelevantDocument.model_validate(one) for one in question["relevant"]),
        answer=question["answer"],
    )


def _of_files(data: Path) -> dict[str, dict[str, Any]]:
    """The questions of the shared data with their answers, by id."""
    found = {}
    for name in ("northwind_dev", "nebari_faq"):
        for line in (data / "qa" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            pages = row["doc_id"] if isinstance(row["doc_id"], list) else [row["doc_id"]]
            relevant = [
                {"uri": uri, "page": int(page)} if page else {"uri": uri}
                for uri, _, page in (page.partition("#page=") for page in pages)
            ]
            found[row["id"]] = {"question": row["question"], "answer": row["answers"][0], "relevant": relevant}
    return found


def _cited(data: Path, span: Mapping[str, Any], place: int) -> CitedText:
    """A span of a document, found by its first and last words."""
    text = _text_of(data / FOLDERS[span["knowledge_base"]] / span["uri"])
    start = _find(text, span["from"], 0)[0]
    least = start + int(0.9 * span["characters"]) - len(span["to"])
    pages = span.get("pages")
    return CitedText(
        marker=f"[{place}]",
        uri=span["uri"],
        place=PlaceRange(kind=PlaceKind.PAGE, first=pages[0], last=pages[1]) if pages else None,
        heading=span["heading"],
        text=text[start : _find(text, span["to"], max(start, least))[1]],
    )


def _find(text: str, words: str, begin: int) -> tuple[int, int]:
    found = re.compile(r"\s+".join(map(re.escape, words.split()))).search(text, begin)
    if found is None:
        raise SystemExit(f"The words {words!r} are not in their document any more: judge the answer again.")
    return found.span()


@cache
def _text_of(path: Path) -> str:
    content = path.read_bytes()
    return parser_for(content, path.name).parse(File(content=content, uri=path.name)).text


def _print_wrong(judged: Sequence[Judged]) -> None:
    for one in judged:
        for dimension in ("supported", "relevant", "citations"):
            for place, (reader, rule) in enumerate(one.pairs(dimension)):
                if reader is not rule:
                    print(f"{one.id}: {dimension} {place}: the reader says {reader}, the rules {rule}")
                    if dimension == "supported":
                        print(*(f"    {claim.text!r}" for claim, ok in zip(one.given.claims, one.verdicts.claims, strict=True) if not ok), sep="\n")  # fmt: skip  # noqa: E501


if __name__ == "__main__":
    main()
