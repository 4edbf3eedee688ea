"""What may be searched for.

Belongs here: the limit of a query, and trimming one. Not here: what it means (`headwater.understanding`).
"""

from headwater.errors import InvalidInputError, QuestionTooLongError
from headwater.store.server.json_values import clean_text

QUERY_LIMIT = 4000  # characters


def check_query(query: str) -> str:
    """Return the query, trimmed and storable.

    Raises:
        InvalidInputError: it is empty. QuestionTooLongError: it is too long.
    """
    text = clean_text(query).strip()
    if not text:
        raise InvalidInputError("The question is empty. Write a question.")
    if len(text) > QUERY_LIMIT:
        raise QuestionTooLongError(
            f"The question has {len(text)} characters; at most {QUERY_LIMIT} are allowed. Shorten it."
        )
    return text
