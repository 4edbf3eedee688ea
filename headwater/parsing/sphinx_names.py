"""Sphinx's directives and roles by name, as reStructuredText and MyST have them.

Belongs here: which names are read alike, and the words of a role. Not here: how docutils (`rst.sphinx`) or markdown
(`markdown.fence_directives`) is read. Guarantee: pure.
"""

import re
from typing import NamedTuple

CODE = {"code-block", "code", "sourcecode", "code-cell", "doctest", "testcode", "testoutput", "ipython", "prompt",
         "parsed-literal", "productionlist", "tabbed-code", "math", "mermaid", "highlight-block"}  # fmt: skip
LANGUAGES = {"doctest": "pycon", "testcode": "python", "ipython": "python", "code-cell": "python", "prompt": "console",
              "math": "tex", "mermaid": "mermaid"}  # fmt: skip
SILENT = {"contents", "sectnum", "index", "highlight", "currentmodule", "py:currentmodule", "meta", "tabularcolumns",
           "raw", "include", "literalinclude", "default-role", "role", "title", "target-notes", "sectionauthor",
           "codeauthor", "moduleauthor", "testsetup", "testcleanup", "graphviz", "digraph", "graph", "uml",
           "autosummary", "inheritance-diagram"}  # fmt: skip
CHANGES = {"versionadded": "New in version {}", "versionchanged": "Changed in version {}",
            "deprecated": "Deprecated since version {}", "versionremoved": "Removed in version {}",
            "version-added": "New in version {}", "version-changed": "Changed in version {}",
            "version-deprecated": "Deprecated since version {}"}  # fmt: skip
NOTES = {"seealso": "See also", "todo": "To do", "details": "", "dropdown": "", "topic": "", "sidebar": "",
          "rubric": "", "centered": "", "versionnote": "", "card": "", "grid-item-card": "", "tab": "", "tab-item": "",
          "group-tab": "", "code-tab": "", "collapse": ""}  # fmt: skip
INSIDE = {"only", "ifconfig", "container", "tabs", "tab-set", "hlist", "rst-class", "class", "cssclass", "glossary",
           "grid", "compound"}  # fmt: skip
JUDGEMENTS = {"wrong": "Wrong", "bad": "Bad", "incorrect": "Incorrect", "corrected": "Corrected",
               "correct": "Correct", "good": "Good", "do": "Do", "dont": "Don’t"}  # fmt: skip
"""Classes that a style sheet shows as a colour or a sign; `right` is none, because it aligns."""
OBJECT = re.compile(
    r"(?:(?:py|c|cpp|js|rst|http|std|ruby|php|go):)?(?:auto)?(?P<kind>function|method|classmethod|staticmethod|class|"
    r"exception|attribute|data|module|decorator|decoratormethod|property|type|macro|member|var|struct|enum|enumerator|"
    r"union|describe|object|option|cmdoption|envvar|confval|setting|directive|role|get|post|put|patch|delete)"
)
TITLED_ROLE = re.compile(r"(?P<title>.*?\S)\s*(?<!\x00)<(?P<target>[^<>]*)>", re.DOTALL)
SPELLED_ROLES = {"code", "html", "xml", "css", "scss", "js", "javascript", "ts", "typescript", "json", "yaml", "sql",
                  "php", "typoscript", "python", "bash", "sh", "shell", "path", "string", "value"}  # fmt: skip
"""Roles that projects declare for code in a line, often in a file that all others include."""
_CODE_ROLES = re.compile(
    r"(?:\w+:)?(?:class|func|meth|attr|mod|data|exc|obj|const|file|command|program|option|envvar|samp|kbd|code|func|"
    r"type|macro|member|var|function|struct|enum|expr|literal|makevar|mimetype|regexp|token|keyword|setting|property|"
    r"deco|confval|module|method|exception|attribute|djadmin|cmdoption)"
)
_UNLINKED = re.compile(r"(?:std:)?(?:file|command|program|samp|kbd|literal|regexp|mimetype|makevar)")
"""Roles that lead nowhere: `<words>` at the end of their text are no target, as in `git add <file>`."""
_VERBATIM = re.compile(r"(?:std:)?(?:envvar|option)")
"""Roles that name no object: a leading dot or tilde belongs to their text, as in `.env` and `~/.bashrc`."""
_CALLED = re.compile(r"(?:\w+:)?(?:func|meth|function|method)")


class RoleWords(NamedTuple):
    """What a reader sees of a role, and whether it is code; `is_titled` if its words stand apart from its target."""

    words: str
    is_code: bool
    is_titled: bool


def read_role(name: str, text: str) -> RoleWords:
    """The words of a role; of a name in code those that Sphinx shows.

    Args:
        name: of the role.
        text: what stands in it, such as `words <target>`.
    """
    if name in SPELLED_ROLES or _UNLINKED.fullmatch(name):
        return RoleWords(text, True, False)
    titled = TITLED_ROLE.fullmatch(text)
    if _VERBATIM.fullmatch(name):
        return RoleWords(titled["title"] if titled else text, True, titled is not None)
    label = titled["title"] if titled else text.lstrip("!")
    if not titled and label.startswith("~"):
        label = label.rpartition(".")[2].lstrip("~")
    if not _CODE_ROLES.fullmatch(name):
        return RoleWords(label, False, titled is not None)
    label = label.removeprefix(".")  # Sphinx searches the name in all modules
    called = "()" if not titled and _CALLED.fullmatch(name) and not label.endswith(")") else ""
    return RoleWords(label + called, True, titled is not None)
