"""Words of a page that only lead elsewhere, such as "Jump to a section" or "#pump #mill".

Belongs here: these words in the languages that headwater knows, and lines of hashtags. Not here: navigation that HTML
marks as such (`headwater.parsing.html.page_frame`). Guarantee: pure; a text with anything else in it is never one.
"""

import re

_NAVIGATION = re.compile(
    r"(?:(?:jump|skip|go|scroll|back|return) (?:straight |directly )?to (?:an? |the |any |main |page |this )*"
    r"(?:sections?|content|contents|top|start|beginning|navigation|search|menu|table of contents)"
    r"(?: of (?:the|this) page)?"
    r"|(?:on|in) this (?:page|article|guide|section|document|topic|chapter)|(?:table of )?contents|quick links|jump to"
    r"|(?:zum|zurück zum|springe zum|zu) (?:inhalt|anfang|seitenanfang|abschnitt)"
    r"|(?:auf|in) (?:dieser seite|diesem artikel)"
    r"|inhaltsverzeichnis|inhalt|(?:aller|retour) (?:au contenu|en haut)|(?:dans cet article|sur cette page)|sommaire"
    r"|(?:ir|saltar|volver) (?:al contenido|arriba)|en esta página|índice)",
    re.IGNORECASE,
)
_TAGS = re.compile(r"(?:#[^\s#]{1,200}\s*)++")
_AROUND = " \t\n*_#`^.:…!|↑⬆›»▲-"


def is_navigation(text: str) -> bool:
    """Whether a text, without markup, only leads elsewhere on its page."""
    words = " ".join(text.strip(_AROUND).split())
    return len(words) < 60 and _NAVIGATION.fullmatch(words) is not None


def is_hashtags(text: str) -> bool:
    """Whether a text, without markup, only files its page under hashtags."""
    return text.startswith("#") and _TAGS.fullmatch(text) is not None
