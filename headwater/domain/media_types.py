"""The types of text that a document may have; they select its chunker.

Belongs here: their names, the endings of markdown files. Not here: the types of other files (`code_files`). Guarantee:
a name is stored with documents and never gets another meaning.
"""

from typing import Literal

CodeMediaType = Literal[
    "text/x-python", "text/javascript", "text/x-typescript", "text/x-tsx", "text/x-go", "text/x-rust", "text/x-java",
    "text/x-c", "text/x-c++", "text/x-code",
]  # fmt: skip
MediaType = Literal["text/markdown", "text/plain", CodeMediaType]
MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx", ".qmd", ".rmd", ".rmarkdown")
"""Endings of files in markdown, in lower case: also MDX, Quarto and R Markdown."""
