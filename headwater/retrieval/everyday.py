"""Everyday words of English, which say little about what a question is about.

Belongs here: which words of a question a document may well lack although it answers. Not here: stop words, which count
nothing at all (`words`), how much an everyday word counts (`trust`). Guarantee: pure; what is no English word is no
everyday word.

A word such as `boss`, `tool` or `smallest` is ordinary only where the texts lack it: they say it in another way.

People ask `Can I keep it somewhere else?`, and the manual says `Change the folder`. `Keep`, `somewhere` and `else` are
rare in a manual, so their idf is high, though they do not name the subject.
"""

_VERBS = """
    allow appear arrive ask avoid become begin believe bring catch choose come consider decide differ eat expect
    explain feel figure find fit forget get give go guess handle happen hear hold hope keep know let like live look
    lose make matter mean mention need offer ought pass pick prefer prevent put reach realise realize recommend
    remain say see seem send show sit solve speak stand suggest suppose take tell tend thank think try turn
    understand use wait want wish wonder work worry
"""
_PAST = """
    ate became began brought came chose chosen gave given gone got gotten heard held kept knew known lost made meant
    said sat saw seen sent shown spoke taken thought told took tried understood went
"""
_NOUNS = """
    anybody anyone anything body case colleague everybody everyone everything example fact folk friend guy idea kind
    lot man moment month name nobody none nothing number other pair part people person piece place plenty point
    problem purpose question quarter reason rest side somebody someone something stuff thing time trouble way week
    year day hour minute
"""
_OTHERS = """
    able actual actually again ahead almost alone along already alright also always amongst another anymore anyway
    anywhere apart around aside available away back bad basically behind beside best better between big both certain
    clear clearly common commonly correct correctly current currently different differently difficult during each
    early easier easily easy either else enough entire especially even ever every everywhere exact exactly extra far
    fast fine finally first following forever fully further generally good great half hard hello hence help here hey
    high however immediately important impossible inside instead itself large last late later least less likely
    little long longer low maximum maybe mere middle minimum minus myself near nearly necessary never
    next nice normal normally now often okay old oldest once onto ourselves outside perhaps plain plus possible
    possibly pretty previous probably proper properly quick quickly quite rather really recent recently regular
    right safely same separate several short simple simply since single slow slowly small somehow sometime sometimes
    somewhere soon special specific specifically still straight such suddenly sure themselves though through
    throughout today together tomorrow too toward towards twice typical typically unless unlike usual usually via
    well whether whenever whatever wherever whichever whoever whole within without wrong yes yesterday yet yourself
    cant didnt doesnt dont havent im isnt ive whats wont two
"""


_PEOPLE = """
    adult beginner boss chief citizen coworker customer developer employee employer expert folks guest human
    individual intern lady man newbie newcomer novice owner participant peer supervisor teammate user visitor
    woman worker
"""
_MEANS = """
    approach feature mean mechanism method possibility procedure program
    solution technique tool trick utility workaround
"""
_WORKS = """
    booklet brochure chapter handbook leaflet manual overview pamphlet
"""
_SUPERLATIVES = """
    big biggest bigger brief briefest broad broadest cheap cheaper cheapest cleanest closest deepest
    earliest easiest fastest fewest finest furthest greatest hardest heaviest highest higher huge largest larger latest
    lightest longest longer lowest lower maximal minimal most narrowest nearest newest newer older quickest quicker
    safest shortest shorter simplest slowest slower smallest smaller soonest strictest strongest tallest tiny tiniest
    weakest widest worst
"""


def _inflected(verb: str) -> set[str]:
    base = verb.removesuffix("e")
    doubled = verb + verb[-1]
    return {verb, f"{verb}s", f"{verb}es", f"{base}ed", f"{base}ing", f"{doubled}ing", f"{doubled}ed"}


_EVERYDAY = frozenset(
    {
        *(form for verb in _VERBS.split() for form in _inflected(verb)),
        *(form for noun in _NOUNS.split() for form in (noun, f"{noun}s")),
        *_PAST.split(),
        *_OTHERS.split(),
    }
)


_REPLACEABLE = frozenset(
    {*_SUPERLATIVES.split(), *(form for noun in (_PEOPLE + _MEANS + _WORKS).split() for form in (noun, f"{noun}s"))}
) | {"utilities", "possibilities", "men", "women"}


def is_replaceable(word: str) -> bool:
    """Whether a text may well lack an English word, in lower case, for a person, a means, itself or a degree.

    Such a word may be the subject (`user`), so where texts have it, it counts as any other.
    """
    return word in _REPLACEABLE


def is_everyday(word: str) -> bool:
    """Whether an English word, in lower case, says little about a subject; so does a single letter."""
    return word in _EVERYDAY or (len(word) == 1 and word.isascii())
