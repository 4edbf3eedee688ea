"""The types of text that a document may have; they select its chunker.

Belongs here: their names. Not here: the types of files (`code_files`). Guarantee: a name is stored
with documents and never gets another meaning.
"""

from typing import Literal

CodeMediaType = Literal[
    "text/x-python", "text/javascript", "text/x-typescript", "text/x-tsx", "text/x-go", "text/x-rust", "text/x-java",
    "text/x-c", "text/x-c++", "text/x-code",
]  # fmt: skip
MediaType = Literal["text/markdown", "text/plain", CodeMediaType]
