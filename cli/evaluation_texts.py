"""Golden sets and evaluations as text for people.

Belongs here: the text of each result. Not here: the results, other texts (`result_texts`). Guarantee: pure; control
characters of documents and answers never reach the terminal.
"""

from collections.abc import Mapping
from typing import Any

from cli.result_texts import plain
from headwater.domain.plurals import pluralize

_NAMES = {
    "ndcg_at_10": "nDCG@10",
    "recall_at_10": "recall@10",
    "mrr": "MRR",
    "faithfulness": "faithfulness",
    "citation_precision": "citation precision",
    "citation_recall": "citation recall",
    "relevance": "relevance",
    "wrong_refusals": "wrong refusals",
    "unanswerable_refused": "unanswerable refused",
    "judge_agreement": "judge's kappa with the rules",
    "rule_faithfulness": "faithfulness by rule",
    "rule_citation_precision": "citation precision by rule",
    "rule_relevance": "relevance by rule",
}
_WORST_SHOWN = 3  # documents


def format_changes(changed: Mapping[str, Any]) -> str:
    """What loading a golden set changed."""
    counts = ", ".join(f"{changed[word]} {word}" for word in ("added", "changed", "removed", "unchanged"))
    return f"{pluralize(changed['question_count'], 'golden question')} ({counts})."


def golden_set_text(found: Mapping[str, Any]) -> str:
    """Every golden question with its number, origin and documents."""
    return "\n".join(map(golden_text, found["questions"])) or "There are no golden questions."


def golden_text(golden: Mapping[str, Any]) -> str:
    """One golden question."""
    documents = ", ".join(map(_document, golden["relevant"])) or "to be refused"
    lines = [f"{golden['id']:>6}  {golden['origin']:<9}  {plain(golden['question'])}", f"{'':19}{plain(documents)}"]
    return "\n".join([*lines, *([f"{'':19}{plain(golden['answer'])}"] if golden["answer"] else [])])


def format_questions(found: Mapping[str, Any]) -> str:
    """The questions that were made."""
    dropped = f" {found['not_found']} more were dropped: search does not find their own document."
    message = f"{pluralize(len(found['questions']), 'golden question')} added."
    return "\n".join([golden_set_text(found), message + (dropped if found["not_found"] else "")])


def evaluation_text(found: Mapping[str, Any]) -> str:
    """The result of a golden set, and the questions with the worst results."""
    lines = [
        f"{pluralize(found['question_count'], 'question')}, {found['model']}, search index {found['search_index_id']}"
    ]
    if found["answer_model"]:
        lines.append(f"Answers by {found['answer_model']}, judged by {found['judge_model'] or 'rules'}")
    labels = {name: words for name, words in _NAMES.items() if name in found["metrics"]}
    width = max(9, *map(len, labels.values())) if labels else 9
    for name, words in labels.items():
        count = found["counts"].get(name, found["question_count"])
        of = "" if count == found["question_count"] else f"  (of {pluralize(count, _unit(name))})"
        lines.append(f"{words:<{width}}  {found['metrics'][name]:.4f}{of}")
    lines += ["", "Worst questions:"] if found["worst"] else []
    for result in found["worst"]:
        lines += _worst(result)
    return "\n".join(lines)


def comparison_text(found: Mapping[str, Any]) -> str:
    """Two settings side by side."""
    lines = [_changes(found["changed"]), ""]
    lines += _table(found["differences"], "now", "other")
    count = pluralize(found["question_count"], "question")
    if not found["is_different"]:
        lines += ["", f"There is no difference that {count} can show."]
    return "\n".join(lines)


def tuning_text(found: Mapping[str, Any]) -> str:
    """What tuning chose, and its figures on the other half."""
    sizes = f"{found['tried']} settings were tried on {pluralize(found['chosen_on'], 'question')}"
    if not found["changed"]:
        return f"{sizes}: the present ones are the best."
    lines = [f"{sizes}. The best ones, on the {found['measured_on']} other questions:"]
    lines += [_changes(found["changed"]), "", *_table(found["differences"], "now", "best"), ""]
    if not any(difference["is_significant"] for difference in found["differences"].values()):
        lines.append(f"There is no difference that {pluralize(found['measured_on'], 'question')} can show.")
    lines.append("The settings are applied." if found["is_applied"] else "Nothing is changed.")
    return "\n".join(lines)


def _table(differences: Mapping[str, Any], first: str, second: str) -> list[str]:
    lines = [f"{'':26}{first:>8}{second:>8}{'difference':>12}  {'95 % interval':<18}{'p':>7}  questions"]
    for name, words in _NAMES.items():
        if name in differences:
            difference = differences[name]
            interval = f"{difference['low']:+.3f} to {difference['high']:+.3f}"
            verdict = "" if difference["is_significant"] else "  no difference"
            lines.append(
                f"{words:<26}{difference['first']:>8.3f}{difference['second']:>8.3f}{difference['difference']:>+12.3f} "
                f" {interval:<18}{difference['p']:>7.3f}  {difference['question_count']}{verdict}"
            )
    return lines


def _changes(changed: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name}: {plain(str(old_value))} -> {plain(str(new_value))}"
        for name, (old_value, new_value) in changed.items()
    )


def _worst(result: Mapping[str, Any]) -> list[str]:
    if not result["relevant"]:
        return [f"  0.00  {plain(result['question'])}", "        answered, but ought to be refused"]
    wanted_documents = ", ".join(map(_document, result["relevant"]))
    instead = ", ".join(result["found"][:_WORST_SHOWN]) or "nothing"
    return [
        f"  {result['metrics']['ndcg_at_10']:.2f}  {plain(result['question'])}",
        f"        wanted {plain(wanted_documents)}; found {plain(instead)}",
    ]


def _unit(name: str) -> str:
    return "verdict" if name == "judge_agreement" else "question"


def _document(wanted: Mapping[str, Any]) -> str:
    """A right document, named like the found ones: a page by its number after the URI."""
    page = wanted.get("page")
    return str(wanted["uri"]) if page is None else f"{wanted['uri']}#page={page}"
