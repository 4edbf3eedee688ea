"""Threads and their comments, and how GitHub's two interfaces write them.

Belongs here: the shapes, and reading them. Not here: requests (`api`), texts (`document`). Guarantee: whatever a server
or a file says, reading it gives a thread or a `DocumentError`; fields that are not known are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from headwater.errors import DocumentError

Kind = Literal["issues", "pull_requests", "discussions"]
PATHS: Mapping[Kind, str] = {"issues": "issues", "pull_requests": "pull", "discussions": "discussions"}
"""How the addresses of each kind go on behind the repository."""
_Shape = TypeVar("_Shape", bound=BaseModel)
_LIKES = frozenset({"+1", "heart", "hooray", "rocket", "THUMBS_UP", "HEART", "HOORAY", "ROCKET"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A comment. `likes` counts votes and the reactions that agree; `replies` are in order."""

    author: str
    created: str
    body: str
    likes: int = 0
    is_answer: bool = False
    replies: tuple["Comment", ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """An issue, pull request or discussion. `state` is such as `open`, `merged` or `closed as not planned`."""

    kind: Kind
    number: int
    title: str
    body: str
    author: str
    state: str
    created: str
    updated: str
    closed: str = ""
    labels: tuple[str, ...] = ()
    milestone: str = ""
    category: str = ""
    comments: tuple[Comment, ...] = ()


def _empty(value: Any) -> Any:
    return "" if value is None else value


def _login(value: Any) -> Any:
    return value.get("login") or "" if isinstance(value, Mapping) else ""


def _first_text(*names: str) -> BeforeValidator:
    def read(value: Any) -> Any:
        texts = (value.get(name) for name in names) if isinstance(value, Mapping) else ()
        return next((text for text in texts if isinstance(text, str)), "")

    return BeforeValidator(read)


def _name(value: Any) -> Any:
    """A label: an object with a name, or the name itself."""
    return value.get("name") or "" if isinstance(value, Mapping) else value


def _nodes(value: Any) -> Any:
    """A list, also if GraphQL wraps it; parts of it that a token may not see are null."""
    listed = value.get("nodes") if isinstance(value, Mapping) else value
    return [node for node in listed or () if node is not None] if isinstance(listed, list | None) else listed


Text = Annotated[str, BeforeValidator(_empty)]
Login = Annotated[str, BeforeValidator(_login)]
Count = Annotated[int, BeforeValidator(lambda value: value if isinstance(value, int) else 0)]
Name = Annotated[str, BeforeValidator(_name)]
Names = Annotated[list[Name], BeforeValidator(_nodes)]


class _RestComment(BaseModel):
    body: Text = ""
    user: Login = ""
    created_at: Text = ""
    reactions: Any = None


class RestIssue(BaseModel):
    """An issue or a pull request as REST lists it."""

    number: int = Field(ge=1, le=2**53)
    title: Text = ""
    body: Text = ""
    user: Login = ""
    state: Text = ""
    state_reason: Text = ""
    labels: Names = []
    created_at: Text = ""
    updated_at: str
    closed_at: Text = ""
    milestone: Annotated[str, _first_text("title")] = ""
    comments: Count = 0
    pull_request: Any = None
    repository_url: Text = ""

    @property
    def kind(self) -> Kind:
        """Whether it is an issue or a pull request."""
        return "issues" if self.pull_request is None else "pull_requests"

    def thread(self, comments: Sequence[Comment]) -> Thread:
        """The thread, with its comments."""
        is_merged = isinstance(self.pull_request, Mapping) and bool(self.pull_request.get("merged_at"))
        return Thread(
            kind=self.kind, number=self.number, title=self.title, body=self.body, author=self.user,
            state="merged" if is_merged else _state(self.state, self.state_reason), created=self.created_at,
            updated=self.updated_at, closed=self.closed_at, labels=tuple(filter(None, self.labels)),
            milestone=self.milestone, comments=tuple(comments),
        )  # fmt: skip


class _GraphComment(BaseModel):
    id: Text = ""
    body: Text = ""
    author: Login = ""
    createdAt: Text = ""  # noqa: N815 - GitHub's name
    upvoteCount: Count = 0  # noqa: N815 - GitHub's name
    isAnswer: Any = None  # noqa: N815 - GitHub's name
    isMinimized: Any = None  # noqa: N815 - GitHub's name
    reactionGroups: Any = None  # noqa: N815 - GitHub's name
    replies: Annotated[list["_GraphComment"], BeforeValidator(_nodes)] = []

    def comment(self, answer: str = "") -> Comment:
        return Comment(
            author=self.author, created=self.createdAt, body=self.body,
            likes=self.upvoteCount + _count_agreeing(self.reactionGroups),
            is_answer=self.isAnswer is True or bool(answer and answer == self.id),
            replies=tuple(reply.comment() for reply in self.replies if reply.isMinimized is not True),
        )  # fmt: skip


class GraphThread(BaseModel):
    """A thread as GraphQL and the command line of GitHub write it."""

    number: int = Field(ge=1, le=2**53)
    title: Text = ""
    body: Text = ""
    author: Login = ""
    state: Text = ""
    stateReason: Text = ""  # noqa: N815 - GitHub's name
    closed: Any = None
    createdAt: Text = ""  # noqa: N815 - GitHub's name
    updatedAt: Text = ""  # noqa: N815 - GitHub's name
    closedAt: Text = ""  # noqa: N815 - GitHub's name
    labels: Names = []
    milestone: Annotated[str, _first_text("title")] = ""
    category: Annotated[str, _first_text("name")] = ""
    answer: Annotated[str, _first_text("id")] = ""
    comments: Annotated[list[_GraphComment], BeforeValidator(_nodes)] = []
    url: Text = ""

    def thread(self, kind: Kind) -> Thread:
        """The thread with its comments, except those that were hidden as spam or off-topic."""
        state = self.state or ("closed" if self.closed is True else "open")
        return Thread(
            kind=kind, number=self.number, title=self.title, body=self.body, author=self.author,
            state=_state(state, self.stateReason), created=self.createdAt, updated=self.updatedAt,
            closed=self.closedAt, labels=tuple(filter(None, self.labels)), milestone=self.milestone,
            category=self.category,
            comments=tuple(
                comment.comment(self.answer) for comment in self.comments if comment.isMinimized is not True
            ),
        )  # fmt: skip


def read_issue(value: Any) -> RestIssue:
    """Read an entry of a list of issues.

    Raises:
        DocumentError: it is none.
    """
    return _read(RestIssue, value)


def read_graph_thread(value: Any) -> GraphThread:
    """Read a thread of GraphQL.

    Raises:
        DocumentError: it is none.
    """
    return _read(GraphThread, value)


def read_comments(values: Any) -> list[Comment]:
    """Read a list of comments of REST.

    Raises:
        DocumentError: it is none.
    """
    if not isinstance(values, list):
        raise DocumentError("GitHub's list of comments is not a list.")
    comments = [_read(_RestComment, value) for value in values]
    return [
        Comment(
            author=comment.user, created=comment.created_at, body=comment.body, likes=_count_agreeing(comment.reactions)
        )
        for comment in comments
    ]


def _read(shape: type[_Shape], value: Any) -> _Shape:
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "it"
        raise DocumentError(f"GitHub's entry cannot be read: {field}: {first['msg']}") from None
    except RecursionError:
        raise DocumentError("GitHub's entry cannot be read: it is nested too deeply") from None


def _count_agreeing(reactions: Any) -> int:
    """How many reactions agree: REST counts them by name, GraphQL in groups."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(reactions, Mapping):
        pairs = list(reactions.items())
    elif isinstance(reactions, list):
        groups = [group for group in reactions if isinstance(group, Mapping)]
        pairs = [(group.get("content"), _users(group)) for group in groups]
    return sum(count for name, count in pairs if name in _LIKES and isinstance(count, int) and count > 0)


def _users(group: Mapping[str, Any]) -> Any:
    users = group.get("users") or group.get("reactors")
    return users.get("totalCount") if isinstance(users, Mapping) else 0


def _state(state: str, reason: str) -> str:
    plain, why = state.lower(), reason.lower().replace("_", " ")
    return f"{plain} as {why}" if plain == "closed" and why and why != "reopened" else plain
