"""Words that mean the same in a question as in a text: abbreviations, two spellings, synonyms and phrases of English.

Belongs here: pairs that hold in nearly any text, verbs with a particle (`hand in`). Not here: endings of one word
(`words.stem`), terms of one subject. Guarantee: pure; two words are synonyms in both directions.

People ask for the `price` of an `app`, and the page says `cost` and `application`. Without this, such a word counts as
missing from the passage that answers.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from headwater.understanding.words import stem

_GROUPS = """
    app application; auth authentication login logon signin; cfg conf config configuration; repo repository;
    db database; doc documentation; admin administrator; max maximum; min minimum; vs versus; env environment;
    info information detail; k8s kubernetes; prod production; dev development; dir directory folder;
    param parameter argument; dim dimension; spec specification; rep representative; cert certificate certification;
    email mail; photo picture image; laptop computer pc; price cost fee charge; vanish disappear;
    remove delete erase discard unregister uninstall;
    drop remove delete; wipe erase delete; clear empty delete; purge delete;
    show display visible; error exception failure fail; mistake error inaccurate incorrect wrong;
    stop terminate kill end; start begin launch; buy purchase;
    salary wage pay payroll paycheck; kid child children son daughter; doctor physician; holiday vacation;
    wife husband spouse; illness sickness disease; medicine medication drug;
    employee staff worker employed; rule policy; forbid prohibit forbidden; permit allow permission; limit restrict;
    month monthly; year yearly annual annually; day daily; week weekly; hour hourly; night nightly; phone telephone;
    ill sick; change modify edit alter update; enable activate; disable deactivate; choose select pick; sequence order;
    save store; keep retain retention; stay remain; safe secure; password passphrase; memory ram;
    machine server host; disk storage; big large; oldest minimum earliest;
    longest maximum; smallest minimum; largest biggest maximum; most maximum; fast quick speed; slow sluggish;
    broken corrupt damaged; cheap low inexpensive; expensive costly;
    refund reimburse reimbursement reimbursable; get receive obtain; need require; wanted required; meaning definition;
    fix repair solve resolve correct correction; crash abort; use utilize; quit exit leave; ask request;
    reply answer respond response; send submit; tell inform notify; write contact; lesson class course; own possess;
    end finish; finish complete done; encrypt encryption; deadline due; own personal; own custom; copy duplicate;
    allowed permitted; illegal unlawful; dodgy suspicious suspicion unethical illegal; split divide; join merge combine;
    throw raise; refuse reject deny denial; convert transform; search find; speed performance; mean average;
    sample example; boss manager supervisor; approve approval authorize; nominate nomination propose; release version;
    multiply multiplication; differ difference; reachable accessible access; swap replace exchange rotate rotation;
    bump upgrade; restore recover recovery; revert undo rollback; link url address; site website;
    qualify eligible eligibility; automatic automatically itself; anonymous anonymously; hint tip; skip ignore omit;
    hide hidden private; mandatory required compulsory; optional voluntary; outage downtime; rename renaming;
    schedule scheduled; resize scale; tweak adjust customize; obsolete deprecated; setup installation;
    usage utilization consumption; warn warning alert; sum total; amount number; sort order; assign assignment;
    quarterly quarter; pregnant pregnancy maternity; dental dentist tooth teeth; eye vision;
    iq intelligence; i18n internationalization; l10n localization; a11y accessibility; comp compensation;
    rx prescription; meds medication medicine drug; org organization; dept department; mgr manager; mgmt management;
    approx approximate;
    temp temporary; var variable; arg argument; perm permission; cred credential; dep dependency; pwd password;
    cmd command; msg message; err error; lib library; pkg package; func fn function; img image; ver version;
    pto vacation leave; hurt injure injured injury; quit resign resignation; complain complaint grievance;
    bully bullying harassment; steal stolen theft; car vehicle; gym fitness; surgery surgical operation;
    shot vaccine vaccination immunization; hire recruit recruitment; teach train training
"""
_PHRASES = """
    hand in: submit; send in: submit; turn in: submit; give back: return; get back: restore recover; claim back:
    reimburse reimbursement expense; pay back: reimburse; get rid: remove delete; throw away: delete discard;
    kick off: start launch; kick out: logout invalidate; fire up: start launch; spin up: start create launch;
    tear down: destroy delete; take down: stop destroy; shut off: stop shutdown disable; shut down: stop terminate;
    switch off: disable; turn off: disable; switch on: enable; turn on: enable; set up: configure install create;
    sign up: register enroll; sign off: approve approval; put forward: nominate propose; turn down: reject deny denial;
    look up: search find; find out: discover check; figure out: determine; carry out: perform execute;
    fill in: complete enter; fill out: complete; speed up: faster performance; slow down: slow performance;
    blow up: fail error crash; break down: fail; come along: include install; stand for: mean represent;
    come out: deduct; run out: exhaust exceed; use up: exhaust exceed; go over: exceed; cut off: truncate;
    hold on: keep retain; hang on: keep retain; keep track: monitor record; note down: record; point out: report;
    own up: report; speak up: report; take part: participate; drop out: leave; move over: migrate; bring back: restore;
    roll back: rollback revert restore; back up: backup; hook up: connect; plug in: connect; cut down: reduce;
    pay for: cover coverage; chip in: contribute; time off: leave vacation
"""
_alike: dict[str, set[str]] = defaultdict(set)
for _group in _GROUPS.split(";"):
    for _word in _group.split():
        _alike[_word].update(map(stem, _group.split()))
_by_phrase = {
    tuple(phrase.split()): frozenset(map(stem, words.split()))
    for phrase, words in (entry.split(":") for entry in _PHRASES.split(";"))
}
_INFLECTION = re.compile(r"(?:s|es|d|ed|ing)$")
_DOUBLED = re.compile(r"(\w)\1(?:ed|ing)$")
_IRREGULAR = {
    "blew": "blow", "blown": "blow", "broke": "break", "broken": "break", "brought": "bring", "came": "come",
    "found": "find", "gave": "give", "given": "give", "gone": "go", "got": "get", "held": "hold", "kept": "keep",
    "paid": "pay", "ran": "run", "sent": "send", "spun": "spin", "stood": "stand", "threw": "throw",
    "thrown": "throw", "took": "take", "taken": "take", "torn": "tear", "tore": "tear", "went": "go",
}  # fmt: skip
_VERBS = frozenset(phrase[0] for phrase in _by_phrase)
_BETWEEN = 3  # words between the two of a phrase, as in `hand my report in`


def phrases(words: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The words of the phrases in a text, such as `hand` and `in` of `hand it in`, with the stems that mean the same.

    Args:
        words: all words of the text, in lower case.
    """
    bases = [_base(word) for word in words]
    for place, first in enumerate(bases):
        for second in words[place + 1 : place + 2 + _BETWEEN]:
            if alike := _by_phrase.get((first, second)):
                yield from ((words[place], alike), (second, alike))


def _base(word: str) -> str:
    """The first form of a verb: `hand` of `handed`."""
    return _IRREGULAR.get(word) or next((form for form in _forms(word) if form in _VERBS), word)


def _forms(word: str) -> tuple[str, ...]:
    cut = _INFLECTION.sub("", word), _INFLECTION.sub("e", word), _DOUBLED.sub(r"\1", word), word.removesuffix("s")
    return word, *cut


def synonyms(word: str) -> frozenset[str]:
    """The stems of the words that mean the same as a word, in lower case; often none."""
    forms = (*_forms(word), _IRREGULAR.get(word, word))
    return frozenset().union(*(_alike.get(form, ()) for form in forms))
