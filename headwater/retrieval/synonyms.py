"""Words that mean the same in a question as in a text: abbreviations, two spellings, close synonyms of English.

Belongs here: pairs that hold in nearly any text. Not here: endings of one word (`words.stem`), terms of one subject.
Guarantee: pure; two words are synonyms in both directions.

People ask for the `price` of an `app`, and the page says `cost` and `application`. Without this, such a word counts as
missing from the passage that answers.
"""

import re
from collections import defaultdict

from headwater.retrieval.words import stem

_GROUPS = """
    app application; auth authentication login logon signin; cfg conf config configuration; repo repository;
    db database; doc documentation; admin administrator; max maximum; min minimum; vs versus; env environment;
    info information; k8s kubernetes; prod production; dev development; dir directory folder; param parameter argument;
    email mail; photo picture image; laptop computer pc; price cost fee; remove delete; vanish disappear;
    show display; error exception failure fail; stop terminate kill; start begin launch; buy purchase;
    salary wage pay; kid child children; doctor physician; holiday vacation;
    employee staff worker employed; rule policy; forbid prohibit forbidden; permit allow permission; limit restrict;
    month monthly; year yearly annual annually; day daily; week weekly; hour hourly; phone telephone; ill sick;
    change modify edit alter update; enable activate; disable deactivate; choose select pick; sequence order;
    save store; safe secure; password passphrase; memory ram; machine server host; big large; oldest minimum earliest;
    longest maximum; smallest minimum; largest biggest maximum; fast quick; slow sluggish; broken corrupt damaged;
    refund reimburse reimbursement reimbursable; get receive obtain; need require; meaning definition;
    fix repair solve resolve; crash abort; use utilize; quit exit leave; ask request; reply answer respond response;
    send submit; tell inform notify; write contact; lesson class course; own possess; end finish;
    encrypt encryption; deadline due; own personal; copy duplicate; allowed permitted; illegal unlawful;
    split divide; join merge combine; throw raise; refuse reject deny; convert transform; search find; speed performance
"""
_alike: dict[str, set[str]] = defaultdict(set)
for _group in _GROUPS.split(";"):
    for _word in _group.split():
        _alike[_word].update(map(stem, _group.split()))
_INFLECTION = re.compile(r"(?:s|es|d|ed|ing)$")


def synonyms(word: str) -> frozenset[str]:
    """The stems of the words that mean the same as a word, in lower case; often none."""
    forms = (word, _INFLECTION.sub("", word), _INFLECTION.sub("e", word), word.removesuffix("s"))
    return frozenset().union(*(_alike.get(form, ()) for form in forms))
