"""How similar the vectors of questions are that ask for the same, and of those that do not (ANS-2).

Belongs here: pairs of questions, and what `reuse_similarity` does with them. Not here: the decision (`same_question`).
Guarantee: the near misses are real questions of `../shared/data` and one-word changes of them; the other wordings were
written by hand for this measurement.

Run: `python -m bench.reuse`; it takes half a minute.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from headwater.models_gateway.embedder_registry import load_embedder
from headwater.settings import Settings
from headwater.understanding.same_question import asks_the_same

DATA = Path(__file__).parents[2] / "shared" / "data"
FLOORS = (0.85, 0.9, 0.95, 0.98)

SAME = {
    "nebari-faq-00": (
        "Why is NEBARI_KUBECONFIG file in /tmp",
        "What is the reason that NEBARI_KUBECONFIG lies in /tmp?",
    ),
    "nebari-faq-04": (
        "can i modify .bashrc file on nebari",
        "Is it possible to edit .bashrc on Nebari?",
    ),
    "nebari-faq-06": (
        "How can I clean up old environment builds in conda-store?",
        "how to clean up an old environment build in conda store",
        "How are old builds removed from conda-store?",
    ),
    "nebari-faq-07": (
        "Could you tell me how to use preemptible and spot instances on Nebari?",
        "Using spot and preemptible instances with Nebari",
    ),
    "nebari-faq-09": (
        "How do you migrate from QHub to Nebari",
        "What is the best way to migrate from Qhub to Nebari?",
        "Moving from Qhub to Nebari: how?",
    ),
    "nebari-faq-10": (
        "Why is there duplication in the names of the environments",
        "Why are environment names duplicated?",
    ),
    "pgvector-faq-00": (
        "how many vectors can be stored in one table",
        "How many vectors can a single table store?",
        "Please tell me how many vectors can be stored in a single table.",
    ),
    "pgvector-faq-01": (
        "is the replication supported",
        "Do you support replication?",
    ),
    "pgvector-faq-05": (
        "Do the indexes need to fit into memory",
        "Must an index fit in memory?",
    ),
    "pgvector-faq-06": (
        "Why is a query not using the index?",
        "Why does my query not use an index?",
    ),
    "pgvector-faq-04": ("Can we store vectors with more precision",),
    "pgvector-faq-02": ("What if I want to index a vector with more than 2,000 dimensions",),
    "northwind-150": (
        "When is an ambulance service covered under Northwind Health Plus?",
        "In which cases does Northwind Health Plus pay for an ambulance?",
    ),
    "northwind-024": ("What's coinsurance, and how does it work under Northwind Health Plus",),
    "northwind-030": (
        "Which weight management services does Northwind Health Plus offer?",
        "What weight management service does the Northwind Health Plus offer",
    ),
    "northwind-144": ("What does the Contoso Electronics Workplace Safety Program include?",),
    "northwind-188": (
        "What are exceptions to prior-authorization processes at Northwind Health",
        "Which exceptions from prior authorization does Northwind Health make?",
    ),
    "northwind-148": (
        (
            "Could you please tell me what the calendar year deductible for in-network services is under the "
            "Northwind Health Plus plan?"
        ),
    ),
    "northwind-140": ("What are rights you have regarding your PHI with Northwind Health Plus?",),
    "northwind-180": ("what service is not covered under Northwind Standard plans for newborns",),
}
"""Questions of `../shared/data/qa`, by their ids, and other wordings of them."""

CHANGES = (
    (r"\bStandard\b", "Plus"), (r"\bin-network\b", "out-of-network"), (r"\bNebari\b", "Qhub"),
    (r"\bWhen\b", "Where"), (r"\bWhat are\b", "Who are"), (r"\bnot covered\b", "covered"),
    (r"\bcovered\b", "not covered"), (r"\bHow many\b", "How much"), (r"\bWho\b", "When"),
    (r"\blast\b", "first"), (r"\bmore\b", "less"), (r"\bCan I\b", "Why can I"), (r"\bHow do I\b", "Why do I"),
    (r"\b2015\b", "2014"), (r"\b50\b", "49"), (r"\bPanthers\b", "Broncos"), (r"\bsmallest\b", "largest"),
    (r"\bmost\b", "least"), (r"\bis\b", "was"), (r"\bnorth\b", "south"), (r"\bbefore\b", "after"),
    (r"\bEast\b", "West"), (r"\bwith\b", "without"),
)  # fmt: skip
"""One-word changes that make another question."""


def questions() -> list[str]:
    """The real questions."""
    texts = [json.loads(line)["text"] for line in (DATA / "ir/xquad-en/queries.jsonl").read_text().splitlines()]
    return list(dict.fromkeys([*texts, *by_id().values()]))


def by_id() -> dict[str, str]:
    """The real questions that have answers, by their ids."""
    rows = [
        json.loads(line) for path in sorted((DATA / "qa").glob("*.jsonl")) for line in path.read_text().splitlines()
    ]
    return {row["id"]: row["question"] for row in rows}


def reworded() -> list[tuple[str, str]]:
    """Each question and each other wording of it."""
    real = by_id()
    return [(real[name], other) for name, others in SAME.items() for other in others]


def changed(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each question with each change that applies to it."""
    for text in texts:
        for pattern, new in CHANGES:
            other = re.sub(pattern, new, text, count=1)
            if other != text:
                yield text, other


def main() -> None:
    """Print the shares of pairs that would get the same answer, by vectors alone and with the words."""
    embedder = load_embedder("builtin/minilm-int8", Settings.from_env())
    texts = questions()
    vectors = embedder.embed(texts)
    rows, columns = np.triu_indices(len(texts), 1)
    similarity = (vectors @ vectors.T)[rows, columns]
    near = [
        (texts[rows[n]], texts[columns[n]], float(similarity[n])) for n in np.flatnonzero(similarity >= min(FLOORS))
    ]
    report(f"pairs of {len(texts)} real questions: {len(similarity)}", near)
    for name, pairs in (("questions with one word changed", list(changed(texts))), ("other wordings", reworded())):
        firsts, others = embedder.embed([one for one, _ in pairs]), embedder.embed([other for _, other in pairs])
        likeness = (firsts * others).sum(axis=1)
        report(f"{name}: {len(pairs)}", [(*pair, float(value)) for pair, value in zip(pairs, likeness, strict=True)])


def report(name: str, pairs: Sequence[tuple[str, str, float]]) -> None:
    """Print how many pairs pass each floor."""
    print(name)
    for floor in FLOORS:
        similar = [(one, other) for one, other, value in pairs if value >= floor]
        served = [pair for pair in similar if asks_the_same(*pair)]
        print(f"  reuse_similarity {floor:.2f}: {len(similar)} by vectors alone, {len(served)} with the words as well")
        if floor == min(FLOORS) and len(served) < 5:
            print(*(f"    {one} | {other}" for one, other in served), sep="\n")


if __name__ == "__main__":
    main()
