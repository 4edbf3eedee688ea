"""Whether follow-ups find the right document in one long conversation over the HTTP API (CNV-1).

Belongs here: asking all questions of a conversation as a client does, with a stub of a cheap model and without a model,
and counting. Not here: the rules alone, in short conversations (`follow_up_recall`). Guarantee: nothing is counted but
what the API returned: a right document is among the first passages of the answer.

    python -m bench.long_conversation DATA_FOLDER [--cases FILE] [--json FILE]

`DATA_FOLDER` has the folders of `SOURCES`, which are one knowledge base. Each line of `long_conversation.jsonl` is a
question of the conversation. Those with `uris` are follow-ups that name nothing; `alone` is what a person made of them.
The stub replies with that, but only if its prompt has the question that the follow-up goes back to; so it shows what a
model that reads well is worth, not how well one reads.
"""

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import click

from bench.end_to_end import served
from bench.throwaway import sync, throwaway_home
from tests.chat_server import KEY, ChatRequest, chat_server

SHOWN = 5
CASES = Path(__file__).with_suffix(".jsonl")
SOURCES = {
    "flask": "docs/flask",
    "nebari": "docs/nebari",
    "pgvector": "docs/pgvector",
    "northwind": "pdf/azure-northwind",
}
_KNOWLEDGE_BASE = "shelf"
_QUESTION = re.compile(r"<data question \w+>\n(.*?)\n</data question", re.DOTALL)
_LIMIT = 60  # seconds for an answer
Case = dict[str, Any]
Call = Callable[[str, str, object], Any]


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cases", "file", default=CASES, type=click.Path(exists=True, path_type=Path), help="The questions.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(folder: Path, file: Path, json_file: Path | None) -> None:
    """Sync, hold the conversation twice, and print how many follow-ups found a right document."""
    cases = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    with throwaway_home() as home, chat_server() as chat:
        chat.by_model["cheap"] = lambda request: _replied(cases, request)
        os.environ.update(OPENAI_API_BASE=f"{chat.url}/v1", OPENAI_API_KEY=KEY)
        _fill(home, folder)
        with served() as port:
            figures = measure(_caller(port), cases)
    click.echo("\n".join(f"{name}: {value}" for name, value in figures.items()))
    if json_file:
        json_file.write_text(json.dumps(figures) + "\n", encoding="utf-8")


def measure(call: Call, cases: list[Case]) -> dict[str, Any]:
    """Hold the conversation without and with the stub; also ask each follow-up outside of a conversation."""
    ask = f"/knowledge-bases/{_KNOWLEDGE_BASE}/answers"
    follow_ups = [case for case in cases if "uris" in case]
    outside = [case for case in follow_ups if _is_found(call("POST", ask, {"question": case["question"]}), case)]
    figures: dict[str, Any] = {
        "turns": len(cases),
        "follow_ups": len(follow_ups),
        "right_without_conversation": len(outside),
    }
    for name, model in (("by_rules", None), ("by_stub", "openai/cheap")):
        call("PATCH", f"/knowledge-bases/{_KNOWLEDGE_BASE}", {"settings": {"cheap_model": model}})
        conversation = call("POST", f"/knowledge-bases/{_KNOWLEDGE_BASE}/conversations", {})["id"]
        answers = [call("POST", ask, {"question": case["question"], "conversation": conversation}) for case in cases]
        asked = list(zip(cases, answers, strict=True))
        missed = [(case, answer) for case, answer in asked if "uris" in case and not _is_found(answer, case)]
        changed = [
            answer["search_text"]
            for case, answer in asked
            if "uris" not in case and answer["search_text"] != case["question"]
        ]
        figures[f"right_{name}"] = len(follow_ups) - len(missed)
        figures[f"missed_{name}"] = [f"{case['id']}: {answer['search_text']}" for case, answer in missed]
        figures[f"changed_{name}"] = changed
    return figures


def _is_found(answer: dict[str, Any], case: Case) -> bool:
    """Whether a right document, under a right heading if some are named, is among the first passages."""
    headings = case.get("headings", [""])
    return any(
        passage["source"] == case["source"]
        and passage["uri"] in case["uris"]
        and any(heading in " > ".join(passage["breadcrumb"]) for heading in headings)
        for passage in answer["passages"][:SHOWN]
    )


def _replied(cases: list[Case], request: ChatRequest) -> str:
    """What the stub says: what a person made of a follow-up, if the conversation in the prompt tells it."""
    match = _QUESTION.search(request.prompt)
    if "passage-1" in request.prompt or match is None:
        return json.dumps({"grades": []})
    subject = ""
    for case in cases:
        if "uris" not in case:
            subject = case["question"]
        elif case["question"] == match[1] and subject in request.prompt:
            return json.dumps({"search_text": case["alone"]})
    return "{}"


def _caller(port: int) -> Call:
    def call(method: str, path: str, body: object) -> Any:
        request = Request(
            f"http://127.0.0.1:{port}/api/v1{path}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            method=method,
        )
        with urlopen(request, timeout=_LIMIT) as response:  # noqa: S310
            return json.load(response)

    return call


def _fill(home: Path, folder: Path) -> None:
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file

    sources = [
        f"  - {{slug: {slug}, kind: folder, path: {(folder / path).resolve()}}}" for slug, path in SOURCES.items()
    ]
    file = home / "shelf.yaml"
    file.write_text(f"knowledge_base: {{slug: {_KNOWLEDGE_BASE}}}\nsources:\n" + "\n".join(sources) + "\n", "utf-8")
    with environment() as env, contextlib.redirect_stdout(sys.stderr), dagster_instance(env.settings) as instance:
        apply(env.store, read_file(file))
        sync(env, instance, _KNOWLEDGE_BASE)


if __name__ == "__main__":
    main()
