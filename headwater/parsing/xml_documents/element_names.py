"""What DocBook calls the elements of other vocabularies.

Belongs here: names, of DITA, Mallard, JATS, RFCs (versions 2 and 3), TEI, laws (USLM, Akoma Ntoso), Maven's xdoc, and
the manuals of httpd, nginx and Tomcat. Not here: what depends on an element's place or attributes (`translation`).
Guarantee: an element that no table names keeps its name, so its text is read.
"""

SECTIONS = frozenset({
    "topic", "concept", "task", "reference", "troubleshooting", "glossentry", "section", "page", "article", "sec",
    "ack", "glossary", "ref-list", "sub-article", "response", "rfc", "abstract", "middle", "back", "front",
    "appendix", "subsection", "document", "manualpage", "modulesynopsis", "directivesynopsis", "body", "chapter",
    "part", "subpart", "subchapter", "division", "subdivision", "div", "div1", "div2", "div3", "div4", "div5", "div6",
    "div7", "tei", "bill", "resolution", "main", "level", "spec",
})  # fmt: skip
"""What may have a title of its own."""
TITLES = frozenset({"title", "name", "head", "heading", "header", "article-title", "glossterm", "num", "enum"})
"""What names the section that it stands in."""
CODE_BLOCKS = frozenset({
    "codeblock", "screen", "pre", "msgblock", "lines", "programlisting", "highlight", "artwork", "sourcecode",
    "preformat", "eg", "verbatim", "syntaxdiagram",
})  # fmt: skip
NUMBERED = frozenset({"numbered", "ordered", "order", "enum", "number", "numbers", "decimal", "alpha", "letters"})
"""The words by which lists say that their items count."""
NOTES = frozenset({"caution", "danger", "important", "tip", "warning"})
FACTS = {
    "syntax": "Syntax", "default": "Default", "context": "Context", "contextlist": "Context", "override": "Override",
    "status": "Status", "compatibility": "Compatibility",
}  # fmt: skip
"""What the manuals of web servers say of a directive in elements of its own, and the words for it."""
PROSE = frozenset({
    "p", "para", "t", "shortdesc", "cmd", "li", "dt", "dd", "td", "th", "cell", "entry", "title", "head", "heading",
    "item", "content", "chapeau", "text", "note", "desc", "mixed-citation", "element-citation",
    "attribute", "pd", "pt", "example", "resolvingclause", "enactingformula", "longtitle", "paragraph", "recital",
}) | CODE_BLOCKS | FACTS.keys()  # fmt: skip
"""What holds the text of a document; where most of the text stands elsewhere, a file is data."""
LEFT_OUT_NAMES = frozenset({
    # DITA
    "prolog", "titlealts", "indexterm", "related-links", "draft-comment", "required-cleanup", "data", "metadata",
    "resourceid", "image", "dlhead", "index-base",
    # Mallard
    "info", "links", "comment", "media", "thumb", "rules",
    # JATS
    "journal-meta", "article-id", "article-categories", "contrib-group", "aff", "author-notes", "pub-date", "volume",
    "issue", "elocation-id", "fpage", "lpage", "history", "permissions", "self-uri", "related-article",
    "related-object", "kwd-group", "funding-group", "counts", "custom-meta-group", "pub-history", "object-id",
    "graphic", "inline-graphic", "pub-id", "publisher-loc", "processing-meta", "attrib",
    # RFCs
    "author", "seriesinfo", "date", "area", "workgroup", "keyword-list", "boilerplate", "iref", "references",
    # laws
    "meta", "toc", "sidenote", "sourcecredit", "preface", "form", "endorsement", "attestation",
    # TEI, xdoc, httpd
    "teiheader", "seealso", "parentdocument", "project", "modulefile", "sourcefile", "identifier",
})  # fmt: skip
NAMES = {
    "p": "para", "t": "para", "shortdesc": "para", "cmd": "para", "info-step": "para", "stepresult": "para",
    "stepxmp": "para", "tutorialinfo": "para", "context": "para", "prereq": "para", "result": "para",
    "postreq": "para", "desc": "para", "usage": "", "summary": "", "description": "para", "glossdef": "para",
    "chapeau": "para", "continuation": "para", "content": "para", "license-p": "para", "doctitle": "para",
    "recital": "para", "officialtitle": "para", "enactingformula": "para", "resolvingclause": "para",
    "ul": "itemizedlist", "sl": "itemizedlist", "choices": "itemizedlist", "steps-unordered": "itemizedlist",
    "tree": "itemizedlist", "ol": "orderedlist", "steps": "orderedlist", "substeps": "orderedlist",
    "li": "listitem", "sli": "listitem", "step": "listitem", "substep": "listitem", "choice": "listitem",
    "list-item": "listitem",
    "dl": "variablelist", "parml": "variablelist", "def-list": "variablelist", "terms": "variablelist",
    "attributes": "variablelist", "dt": "term", "pt": "term", "dd": "glossdef", "pd": "glossdef", "def": "glossdef",
    "row": "tr", "strow": "tr", "sthead": "tr", "property": "tr", "prophead": "tr", "chrow": "tr", "chhead": "tr",
    "proptype": "td", "propvalue": "td", "propdesc": "td", "choption": "td", "chdesc": "td",
    "cell": "td", "proptypehd": "th", "propvaluehd": "th", "propdeschd": "th", "choptionhd": "th", "chdeschd": "th",
    "simpletable": "table", "properties": "table", "choicetable": "table",
    "lq": "blockquote", "disp-quote": "blockquote", "quotedcontent": "blockquote", "aside": "blockquote",
    "q": "quote", "fn": "footnote", "fig": "figure", "boxed-text": "figure", "listing": "informalexample",
    "menucascade": "menuchoice", "guiseq": "menuchoice", "keyseq": "keycombo", "xref": "link", "eref": "link",
    "ext-link": "link", "a": "link", "uri": "link",
    "b": "strong", "strong": "strong", "bold": "strong", "i": "emphasis", "em": "emphasis", "italic": "emphasis",
    "dfn": "emphasis", "term": "firstterm", "hi": "emphasis", "sup": "superscript", "sub": "subscript",
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "bridgehead"),
    **dict.fromkeys(
        ("codeph", "cmdname", "parmname", "filepath", "varname", "apiname", "systemoutput", "userinput", "msgph",
         "msgnum", "tt", "kwd", "monospace", "file", "input", "output", "sys", "key", "path", "value", "var", "kbd",
         "samp", "xmlelement", "xmlatt", "textentity", "program", "c-def", "c-func", "directive",
         "module"), "literal"
    ),
}  # fmt: skip
"""DocBook's name for an element; an empty name stands for its content."""
