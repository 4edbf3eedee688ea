"""Conversations and their turns in Postgres (CNV-1).

Belongs here: storing them, their tree, beginning a turn. Not here: the answers that the turns are (`answers`), what an
earlier turn tells the next (`headwater.answering`). Guarantee: a turn is stored before its answer is made; deleting a
conversation deletes its turns and the feedback on them.
"""

from collections import defaultdict
from dataclasses import asdict
from uuid import UUID

from headwater.domain.access import EVERY_READER, Reader
from headwater.domain.answers import Answer, Citation, Turn
from headwater.domain.conversations import MAX_TURNS, Conversation, ConversationTurn, TurnState
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import ConflictError, NotFoundError
from headwater.store.content.places import to_range
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text
from headwater.store.server.query_session import Session
from headwater.store.server.typed_rows import from_row
from headwater.store.work.answer_extras import find_stored_versions, read_further, read_statements
from headwater.store.work.answer_reuse import AnswerIdentity
from headwater.store.work.answers import AnswerStore, insert_answer


class ConversationStore:
    """The conversations table, and the answers that belong to one.

    A conversation that the reader may not read looks as if it did not exist.
    """

    def __init__(self, database: Database, answers: AnswerStore, reader: Reader = EVERY_READER) -> None:
        self._database = database
        self._answers = answers
        self._reader = reader

    def add(self, knowledge_base: KnowledgeBase, title: str = "") -> Conversation:
        """Begin a conversation; without a title its first question gives it one."""
        with self._database.transaction() as session:
            row = session.one(
                "insert_conversation",
                knowledge_base_id=knowledge_base.id,
                owner=self._reader.owner,
                title=clean_text(title),
            )
            return self._get(session, row["id"])

    def get(self, conversation_id: UUID) -> Conversation:
        """Return a conversation.

        Raises:
            NotFoundError: there is no such conversation.
        """
        return self._get(self._database, conversation_id)

    def all(
        self, knowledge_base: KnowledgeBase, *, text: str = "", before: UUID | None = None, limit: int = 50
    ) -> list[Conversation]:
        """Return conversations of a knowledge base, the one that was asked last first.

        Args:
            knowledge_base: the knowledge base.
            text: lists only those that have it in their title, a question or an answer.
            before: lists only those after the one with this id; none if there is no such conversation.
            limit: the maximum number.
        """
        rows = self._database.rows(
            "list_conversations",
            knowledge_base_id=knowledge_base.id,
            knowledge_base=knowledge_base.slug,
            text=text,
            before=before,
            limit=limit,
            **asdict(self._reader),
        )
        return [from_row(Conversation, row) for row in rows]

    def rename(self, conversation_id: UUID, title: str) -> Conversation:
        """Give a conversation another title.

        Raises:
            NotFoundError: there is no such conversation.
        """
        with self._database.transaction() as session:
            self._get(session, conversation_id)
            session.run("rename_conversation", id=conversation_id, title=clean_text(title))
            return self._get(session, conversation_id)

    def pin(self, conversation_id: UUID, *, is_pinned: bool) -> Conversation:
        """Keep a conversation at the top of the list, or no longer.

        Raises:
            NotFoundError: there is no such conversation.
        """
        with self._database.transaction() as session:
            self._get(session, conversation_id)
            session.run("pin_conversation", id=conversation_id, is_pinned=is_pinned)
            return self._get(session, conversation_id)

    def find_pinned(self, knowledge_base: KnowledgeBase, *, limit: int) -> list[Conversation]:
        """Return the pinned conversations of a knowledge base, the one that was pinned last first."""
        values = {"knowledge_base_id": knowledge_base.id, "knowledge_base": knowledge_base.slug, "limit": limit}
        rows = self._database.rows("list_pinned_conversations", **values, **asdict(self._reader))
        return [from_row(Conversation, row) for row in rows]

    def share(self, conversation_id: UUID, token: str | None) -> Conversation:
        """Let everyone who has a token read a conversation, or with None nobody any more.

        Args:
            conversation_id: the conversation.
            token: a secret; one that is shared already keeps its own.

        Raises:
            NotFoundError: there is no such conversation.
        """
        with self._database.transaction() as session:
            self._get(session, conversation_id)
            if token is None:
                session.run("unshare_conversation", id=conversation_id)
            else:
                session.run("share_conversation", id=conversation_id, token=token)
            return self._get(session, conversation_id)

    def shared(self, token: str) -> Conversation:
        """Return the conversation that is shared under a token.

        Raises:
            NotFoundError: there is none.
        """
        with self._database.transaction() as session:
            row = session.row("get_shared_conversation", token=clean_text(token))
            if row is None:
                raise NotFoundError("This link shares no conversation. It may have been withdrawn.")
            return self._get(session, row["id"])

    def remove(self, conversation_id: UUID) -> Conversation:
        """Delete a conversation with its turns and the feedback on them, and return it.

        Raises:
            NotFoundError: there is no such conversation.
        """
        with self._database.transaction() as session:
            conversation = self._get(session, conversation_id)
            row = session.row("delete_conversation", id=conversation_id)
            if row is None:
                raise _unknown_conversation_error(conversation_id)
            session.run("forget_answers", knowledge_base_id=row["knowledge_base_id"])  # they may quote these
        return conversation

    def turns(self, conversation_id: UUID) -> list[ConversationTurn]:
        """Return all turns of a conversation, oldest first; those that a killed process left are marked."""
        rows = self._database.rows("turns_of", id=conversation_id)
        if any(row["state"] == "generating" for row in rows):
            self._answers.interrupt_lost()
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("turns_of", id=conversation_id)
            cited = defaultdict(list)
            for row in session.rows("citations_of_turns", id=conversation_id):
                cited[row["answer_id"]].append(from_row(Citation, row, place=to_range(row["place"])))
            available = find_stored_versions(session, [passage for row in rows for passage in row["further"]])
        return [
            from_row(
                ConversationTurn,
                row,
                citations=tuple(cited[row["id"]]),
                statements=read_statements(row["statements"]),
                further=read_further(row["further"], available),
            )
            for row in rows
        ]

    def turn_states(self, conversation_id: UUID, *, limit: int) -> list[TurnState]:
        """Return the turns that were asked last, oldest first, and whether their answers still hold."""
        rows = self._database.rows("turn_states", id=conversation_id, limit=limit)
        return [from_row(TurnState, row) for row in rows]

    def last_turn(self, conversation_id: UUID) -> UUID | None:
        """Return the id of the turn that was asked last; None if there is none."""
        return _last(self._database, conversation_id)

    def path(self, conversation_id: UUID, turn_id: UUID) -> tuple[Turn, ...]:
        """Return the turns from a beginning to a turn.

        Raises:
            NotFoundError: the conversation has no such turn.
        """
        rows = self._database.rows("path_to_turn", id=conversation_id, turn_id=turn_id)
        if not rows:
            raise NotFoundError(
                f"Conversation {conversation_id} has no turn {turn_id}. Name the id of one of its answers."
            )
        return tuple(from_row(Turn, row) for row in rows)

    def add_turn(
        self, knowledge_base: KnowledgeBase, answer: Answer, title: str, *, follows_last: bool = False
    ) -> None:
        """Store the beginning of an answer as a turn.

        Args:
            knowledge_base: the knowledge base that is asked.
            answer: the answer, which has no text yet, with its conversation and parent.
            title: the title of a conversation that has none yet.
            follows_last: whether the parent must still be the turn that was asked last.

        Raises:
            NotFoundError: the knowledge base has no such conversation.
            ConflictError: the conversation has as many turns as it may have, another one was asked meanwhile, or the
                parent was deleted.
        """
        with self._database.transaction() as session:
            row = session.row("lock_conversation", id=answer.conversation_id, knowledge_base_id=knowledge_base.id)
            if row is None:
                raise NotFoundError(f"{knowledge_base.slug} has no conversation {answer.conversation_id}.")
            if session.one("count_turns", id=answer.conversation_id)["turn_count"] >= MAX_TURNS:
                raise ConflictError(
                    f"Conversation {answer.conversation_id} has {MAX_TURNS} turns, which is the most. Begin another."
                )
            if follows_last and _last(session, answer.conversation_id) != answer.parent_id:
                raise ConflictError(
                    f"Another question was asked in conversation {answer.conversation_id} meanwhile. Ask again, or name"
                    " the turn that this question follows as its parent."
                )
            insert_answer(session, knowledge_base, answer, "", AnswerIdentity())
            session.run("touch_conversation", id=answer.conversation_id, title=clean_text(title))

    def _get(self, database: Session | Database, conversation_id: UUID) -> Conversation:
        row = database.row("get_conversation", id=conversation_id, **asdict(self._reader))
        if row is None:
            raise _unknown_conversation_error(conversation_id)
        return from_row(Conversation, row)


def _last(database: Session | Database, conversation_id: UUID | None) -> UUID | None:
    row = database.row("last_turn", id=conversation_id)
    return row["id"] if row else None


def _unknown_conversation_error(conversation_id: UUID) -> NotFoundError:
    return NotFoundError(f"There is no conversation {conversation_id}.")
