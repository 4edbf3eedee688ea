"""The control words of RTF files, by what they do.

Belongs here: lists of words. Not here: doing it (`rtf_tree`). Guarantee: a group with a word of `SKIPPED`
shows nothing.
"""

CHARACTERS = {
    "bullet": "•", "emdash": "—", "endash": "–", "ldblquote": "“", "rdblquote": "”", "lquote": "‘", "rquote": "’",
    "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "tab": "\t", "line": "\x0b", "lbr": "\x0b",
    "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
"""Words that stand for a character."""

SYMBOLS = {"~": "\N{NO-BREAK SPACE}", "_": "\x1e", "\\": "\\", "{": "{", "}": "}", "\t": "\t"}
"""Signs behind a backslash that stand for a character."""

TOGGLES = ("b", "v", "deleted", "mvf")
NUMBERS = ("f", "fs", "cs")
"""Properties of characters, which are on or off, or have a number."""

PARAGRAPH_WORDS = ("s", "ls", "ilvl", "outlinelevel", "intbl", "itap", "li")
"""Properties of paragraphs."""

SKIPPED = frozenset((
    "annotation", "atnauthor", "atnid", "atntime", "atrfend", "atrfstart", "background", "bkmkend", "bkmkstart",
    "buptim", "category", "colortbl", "comment", "company", "datafield", "doccomm", "falt", "filetbl", "footer",
    "footerf", "footerl", "footerr", "ftncn", "ftnsep", "ftnsepc", "aftncn", "aftnsep", "aftnsepc", "generator",
    "header", "headerf", "headerl", "headerr", "hlinkbase", "manager", "nextfile", "nonesttables", "nonshppict",
    "objalias", "objclass", "objdata", "objname", "objsect", "operator", "panose", "pict", "pn", "pnseclvl", "pntxta",
    "pntxtb", "printim", "private", "revtbl", "rxe", "shprslt", "sn", "sp", "sv", "template", "themedata",
    "txe", "userprops", "xe", "xmlnstbl",
))  # fmt: skip
"""Words with which a group begins that is not shown."""

KNOWN = frozenset((
    "cs", "do", "ds", "dptxbxtext", "fldinst", "footnote", "listoverridetable", "listtable", "listtext",
    "nesttableprops", "pntext", "s", "shpinst", "shptxt", "ts", "ud",
))  # fmt: skip
"""Words whose group is read even if it is marked as one that a program may skip."""
