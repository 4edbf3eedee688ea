"""Conflicts with what others did meanwhile, in our words.

Belongs here: the sentence for each constraint that a change of somebody else can break. Not here: raising (`database`),
conflicts that a module looks for itself. Guarantee: no sentence contains a word of Postgres or a value of a row.
"""

import psycopg

_PARENTS = {
    "knowledge_base_id": "knowledge base",
    "source_id": "source",
    "document_id": "document",
    "version_id": "version of the document",
    "version_id_settings_hash": "version of the document",
    "chunk_id": "chunk",
    "search_index_id": "search index",
    "sync_id": "sync",
    "conversation_id": "conversation",
    "parent": "question before this one",
    "answer_id": "answer",
    "question_id": "question",
    "key_id": "API key",
    "widget_id": "widget",
}
"""What a row belongs to, by the end of the name of its foreign key."""
_TAKEN = {
    "knowledge_bases_by_slug": "Another knowledge base took this slug meanwhile. Choose another slug.",
    "sources_by_slug": "Another source took this slug meanwhile. Choose another slug.",
    "widgets_knowledge_base_id_slug_key": "Another widget took this name meanwhile. Choose another name.",
    "golden_questions_knowledge_base_id_question_key": "The knowledge base has this golden question already.",
    "feedback_answer_id_owner_key": "Feedback on this answer was given meanwhile. Try again to replace it.",
    "search_indexes_active": "Another search index became active meanwhile. Look which one it is before you try again.",
}
_GENERAL = "Somebody else changed or removed the same thing meanwhile, so nothing was changed. Try again."


def in_words(error: psycopg.IntegrityError) -> str:
    """What was taken, or gone, as a sentence that says what to do."""
    return sentence(error.diag.constraint_name or "")


def sentence(constraint: str) -> str:
    """The sentence for a constraint; a general one if it guards something that people do not name."""
    if constraint in _TAKEN:
        return _TAKEN[constraint]
    for column, parent in _PARENTS.items():
        if constraint.endswith(f"_{column}_fkey"):
            return f"The {parent} was deleted meanwhile, so nothing was changed. Check that it still exists."
    return _GENERAL
