"""Stack Exchange dumps (SRC-9).

Belongs here: which answers a question has, what changes between dumps, broken and hostile dumps. Not here: storing.
"""

import random
import subprocess
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import InvalidConfigurationError, SourceError
from headwater.settings import REPOSITORY
from headwater.sources.connector import Connector, FetchedDocument, open_connector
from headwater.sources.guesses import Address
from headwater.sources.source_context import SourceContext
from headwater.sources.source_kind import guess_source
from headwater.sources.stack_exchange import rows

SITE = "pumps.stackexchange.com"
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'


def row(number: int, **values: Any) -> str:
    """A row; without a parent, it is a question."""
    kind = {"PostTypeId": 2 if "ParentId" in values else 1}
    plain = {"Id": number, **kind, "Score": 0, "Body": f"<p>Body of {number}.</p>", **values}
    return "  <row " + " ".join(f'{name}="{_escaped(value)}"' for name, value in plain.items()) + " />\n"


def _escaped(value: object) -> str:
    """A value as dumps write it: a literal line break in an attribute would be read as a space."""
    return escape(str(value)).replace("\n", "&#xA;")


def question(number: int, **values: Any) -> str:
    """A question."""
    return row(number, Title=f"Why {number}?", CreationDate="2020-01-01T10:00:00.000", **values)


def connector(folder: Path, content: str | bytes) -> Connector:
    """The connector for a dump."""
    path = folder / "Posts.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_connector("stack_exchange", {"path": str(path), "site": SITE}, SourceContext(folder=folder / "own"))


def read(folder: Path, *parts: str) -> tuple[dict[str, ParsedDocument], list[str]]:
    """The documents of a dump by URI, and the messages of its problems."""
    items = list(connector(folder, HEAD + "".join(parts) + "</posts>\n").fetch())
    documents = {item.uri: item.parse() for item in items if isinstance(item, FetchedDocument)}
    problems = [item for item in items if isinstance(item, DocumentProblem)]
    assert all(not problem.uri for problem in problems)
    return documents, [problem.message for problem in problems]


def fingerprints(folder: Path, *parts: str) -> dict[str, str]:
    """The fingerprints of a dump's documents."""
    items = connector(folder, HEAD + "".join(parts) + "</posts>\n").fetch()
    return {item.uri: item.fingerprint for item in items if isinstance(item, FetchedDocument)}


def bodies(document: ParsedDocument) -> list[int]:
    """The posts of a document, in order."""
    lines = document.text.split("\n")
    return [int(line.removeprefix("Body of ").rstrip(".")) for line in lines if line.startswith("Body of ")]


def test_the_accepted_answer_comes_first_then_those_that_score_higher(tmp_path: Path) -> None:
    """The highest first; answers that score as much as the accepted one or less are left out (SRC-9)."""
    answers = [row(number, ParentId=1, Score=score) for number, score in ((2, 5), (3, 9), (4, 2), (5, 2), (6, 7))]
    documents, problems = read(tmp_path, question(1, AcceptedAnswerId=4), *answers)
    assert problems == []
    (document,) = documents.values()
    assert bodies(document) == [1, 4, 3, 6, 2]
    assert [line for line in document.text.split("\n") if line.startswith("#")] == [
        "# Why 1?", "## Accepted answer", "## Answer", "## Answer", "## Answer",
    ]  # fmt: skip
    assert [answer["score"] for answer in document.metadata["answers"]] == [2, 9, 7, 5]


def test_without_an_accepted_answer_those_above_zero_are_read(tmp_path: Path) -> None:
    """An accepted answer that is not in the dump counts as none; questions without any are counted."""
    posts = [
        question(1), row(2, ParentId=1, Score=0), row(3, ParentId=1, Score=1), row(4, ParentId=1, Score=-5),
        question(10, AcceptedAnswerId=99), row(11, ParentId=10, Score=4),
        question(20), row(21, ParentId=20, Score=0), question(30),
        question(40, AcceptedAnswerId=41), row(41, ParentId=40, Score=-3),
        row(50, ParentId=7777, Score=3),
    ]  # fmt: skip
    made = connector(tmp_path, HEAD + "".join(posts) + "</posts>")
    found = {item.uri: bodies(item.parse()) for item in made.fetch() if isinstance(item, FetchedDocument)}
    assert found == {f"https://{SITE}/q/1": [1, 3], f"https://{SITE}/q/10": [10, 11], f"https://{SITE}/q/40": [40, 41]}
    assert made.total == 3
    assert [(line.reason, line.count) for line in made.skipped.lines()] == [("unanswered", 2), ("orphan", 1)]


def test_a_question_is_markdown_with_what_the_dump_says_about_it(tmp_path: Path) -> None:
    """Title, tags, dates, authors, code, links to other questions; headings stay below the answer's own."""
    body = "<h1>Short</h1>\n<p>Use <code>a_b</code>.</p>\n<pre><code>if a &lt; b:\n    go()\n</code></pre>"
    link = f'<p>See <a href="https://{SITE}/questions/77/other#9">this</a> &amp; <a href="/q/78">that</a>.</p>'
    documents, _ = read(
        tmp_path,
        question(1, Tags="|pump|c++|", Score=12, Body=link, AcceptedAnswerId=2, OwnerDisplayName="Ann B"),
        row(2, ParentId=1, Score=3, Body=body, OwnerDisplayName="Bo", LastEditDate="2021-05-06T07:08:09.000"),
    )
    document = documents[f"https://{SITE}/q/1"]
    assert document.title == "Why 1?"
    assert document.text == (
        "# Why 1?\n\nTags: pump, c++\n\nSee [this](/questions/77/other#9) & [that](78).\n\n"
        "## Accepted answer by Bo\n\n### Short\n\nUse `a_b`.\n\n```\nif a < b:\n    go()\n```"
    )
    assert document.references == (f"https://{SITE}/q/77", f"https://{SITE}/q/78")
    assert dict(document.metadata) == {
        "tags": ["pump", "c++"], "score": 12, "author": "Ann B", "created": "2020-01-01T10:00:00.000",
        "updated": "2021-05-06T07:08:09.000",
        "answers": [{"id": 2, "score": 3, "accepted": True, "author": "Bo"}],
    }  # fmt: skip


def test_tags_of_older_dumps_are_read(tmp_path: Path) -> None:
    """They are written as `<a><b>`."""
    documents, _ = read(tmp_path, question(1, Tags="<pump><seal>"), row(2, ParentId=1, Score=1))
    assert documents[f"https://{SITE}/q/1"].metadata["tags"] == ["pump", "seal"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(9)), block=st.integers(1, 400))
def test_the_order_of_rows_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: list[int], block: int
) -> None:
    """Answers may come before their question, and blocks of the file may end anywhere."""
    posts = [
        question(1, AcceptedAnswerId=3), row(2, ParentId=1, Score=8), row(3, ParentId=1, Score=1), question(4),
        row(5, ParentId=4, Score=2), row(6, ParentId=4, Score=3), question(7), row(8, ParentId=7, Score=1),
        row(9, ParentId=1, Score=8),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_BLOCK", block)
        documents, problems = read(tmp_path, *(posts[number] for number in order))
    assert problems == []
    assert [bodies(document) for document in documents.values()] == [[1, 3, 2, 9], [4, 6, 5], [7, 8]]


def test_a_newer_dump_touches_only_what_changed(tmp_path: Path) -> None:
    """Views and activity change with every dump and count for nothing; a new, edited or rescored answer counts."""
    posts = [question(number, ViewCount=5) + row(number + 1, ParentId=number, Score=1) for number in (10, 20, 30, 40)]
    before = fingerprints(tmp_path, *posts)
    newer = [post.replace('ViewCount="5"', 'ViewCount="9" LastActivityDate="2024-01-01"') for post in posts]
    assert fingerprints(tmp_path, *newer) == before
    newer[1] = newer[1].replace("Body of 21", "Better body of 21")
    newer[2] += row(32, ParentId=30, Score=-1)  # is not read, so nothing changes
    newer[3] += row(42, ParentId=40, Score=1)
    after = fingerprints(tmp_path, *newer)
    changed = {uri.rpartition("/")[2] for uri in before if after[uri] != before[uri]}
    assert changed == {"20", "40"}


def test_a_new_score_changes_no_text(tmp_path: Path) -> None:
    """So nothing is embedded again; only the metadata differ."""
    posts = (question(1, AcceptedAnswerId=2, Score=3), row(2, ParentId=1, Score=1))
    (before,) = read(tmp_path, *posts)[0].values()
    (after,) = read(tmp_path, *(post.replace('Score="', 'Score="4') for post in posts))[0].values()
    assert (before.text, before.metadata["score"], after.metadata["score"]) == (after.text, 3, 43)


GOOD = question(1) + row(2, ParentId=1, Score=1)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('  <row Id="5" PostTypeId="1" Body="&nope;" />\n', "not well-formed XML"),
        ('  <row Id="5" PostTypeId="1" Body="unclosed />\n', "not well-formed XML"),
        ('  <row Id="5" PostTypeId="1">\n', "not well-formed XML"),
        ('  <row Id="x" PostTypeId="1" />\n', "its Id is 'x', which is not a number"),
        ('  <row PostTypeId="1" />\n', "its Id is '', which is not a number"),
        ('  <row Id="5" PostTypeId="2" />\n', "its ParentId is ''"),
        ('  <row Id="' + "9" * 30 + '" PostTypeId="1" />\n', "which is not a number"),
        (question(1), "there is another post with the Id 1"),
        (b'  <row Id="5" PostTypeId="1" Body="\xff\xfe" />\n', "not well-formed XML"),
        (b'  <row Id="5" PostTypeId="1" Body="\x00" />\n', "not well-formed XML"),
        (lambda: "  <row " + " ".join(f'a{n}=""' for n in range(700_000)) + " />", "larger than 5 MB"),
    ],
    ids=lambda value: value.strip()[:24] if isinstance(value, str) else None,
)
def test_a_bad_row_costs_only_itself(tmp_path: Path, bad: str | bytes | Callable[[], str], reason: str) -> None:
    """Its place is reported, no document counts as removed, and every other row is read."""
    row_of_dump = bad() if callable(bad) else bad
    wrong = row_of_dump if isinstance(row_of_dump, bytes) else row_of_dump.encode()
    more = question(8) + row(9, ParentId=8, Score=1)
    content = HEAD.encode() + GOOD.encode() + wrong + more.encode() + b"</posts>"
    items = list(connector(tmp_path, content).fetch())
    assert [item.uri.rpartition("/")[2] for item in items if isinstance(item, FetchedDocument)] == ["1", "8"]
    (problem,) = (item for item in items if isinstance(item, DocumentProblem))
    assert reason in problem.message
    assert problem.message.startswith(f"The row at byte {len((HEAD + GOOD).encode()) + 2 if b'<row' in wrong else 0}: ")
    assert (problem.uri, problem.code) == ("", "DOCUMENT_FAILED")


def test_a_file_that_was_cut_off_removes_nothing(tmp_path: Path) -> None:
    """What is there is read, and the end is reported."""
    content = HEAD + GOOD + question(5)[:-30]
    items = list(connector(tmp_path, content).fetch())
    assert [item.uri for item in items if isinstance(item, FetchedDocument)] == [f"https://{SITE}/q/1"]
    assert "the file ends here" in [item.message for item in items if isinstance(item, DocumentProblem)][-1]
    items = list(connector(tmp_path, HEAD + GOOD).fetch())
    (problem,) = (item for item in items if isinstance(item, DocumentProblem))
    assert "fetch it again" in problem.message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no posts"),
        (HEAD.encode() + b"</posts>", "no posts"),
        (b'<users><row Id="1" DisplayName="Ann" /></users>', "no posts"),
        (b"7z\xbc\xaf\x27\x1cabc", "still packed. Unpack it with `7z x`"),
        (b"PK\x03\x04abc", "still packed"),
        ((HEAD + GOOD + "</posts>").encode("utf-16"), "UTF-16"),
        ((HEAD.replace("utf-8", "Shift_JIS") + GOOD + "</posts>").encode(), "its encoding is shift_jis"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]>' + (HEAD + GOOD + "</posts>").encode(), "document type or entities"),
        (b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><posts><row Id="1" Body="&a;"/></posts>', "refused"),
    ],
)
def test_what_is_no_dump_changes_nothing(tmp_path: Path, content: bytes, reason: str) -> None:
    """The source fails with what to do."""
    with pytest.raises(SourceError, match=reason):
        list(connector(tmp_path, content).fetch())


def test_comments_are_left_out(tmp_path: Path) -> None:
    """Rows in them too."""
    documents, problems = read(tmp_path, "<!-- ", question(3), row(4, ParentId=3, Score=1), " -->", GOOD)
    assert (list(documents), problems) == ([f"https://{SITE}/q/1"], [])


def test_a_dump_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    """A document never gets the text of another post."""
    made = connector(tmp_path, HEAD + GOOD + "</posts>")
    (item,) = made.fetch()
    (tmp_path / "Posts.xml").write_text(HEAD + GOOD.replace("Body of 1", "Body of 7") + "</posts>")
    assert isinstance(item, FetchedDocument)
    with pytest.raises(SourceError, match="changed while it was read"):
        item.parse()


@pytest.mark.parametrize("site", ["", "pumps", "https://a.com", "a.com/b", "a.com\n", "-.com", "a b.com", "127.0.0.1"])
def test_a_site_is_a_host(site: str) -> None:
    """It becomes a part of addresses."""
    with pytest.raises(InvalidConfigurationError, match="site: "):
        open_connector("stack_exchange", {"path": "/Posts.xml", "site": site}, SourceContext(folder=Path("/own")))


def test_an_unpacked_dump_is_recognised(tmp_path: Path) -> None:
    """By its name, with the site from its folder."""
    folder = tmp_path / "unix.stackexchange.com"
    folder.mkdir()
    (folder / "Posts.xml").write_text("")
    found = guess_source(Address.of(str(folder / "Posts.xml")))
    assert (found.kind, found.guess.config["site"]) == ("stack_exchange", "unix.stackexchange.com")
    (tmp_path / "Posts.xml").write_text("")
    assert "site" not in guess_source(Address.of(str(tmp_path / "Posts.xml"))).guess.config


def test_a_row_of_100_megabytes_takes_little_memory(tmp_path: Path) -> None:
    """It is reported, the rows around it are read, and 20,000 rows of usual length take no more (SRC-9)."""
    path = tmp_path / "Posts.xml"
    picked = random.Random(1)
    with path.open("w") as file:
        file.write(HEAD + GOOD)
        file.write('<row Id="3" PostTypeId="1" Body="' + "a" * 100_000_000 + '" />\n')
        for number in range(10, 20_010, 2):
            file.write(question(number, Body="b" * picked.randrange(1000)) + row(number + 1, ParentId=number, Score=1))
        file.write("</posts>")
    code = (
        "from pathlib import Path\n"
        "from headwater.sources.stack_exchange.connector import StackExchange, StackExchangeConfig\n"
        "from headwater.sources.source_context import SourceContext\n"
        f"path = Path({str(path)!r}); config = StackExchangeConfig(path=path, site={SITE!r})\n"
        "found = StackExchange(config, SourceContext(folder=path.parent / 'own')).fetch()\n"
        "kinds = [type(item).__name__ for item in found]\n"
        "print(kinds.count('FetchedDocument'), kinds.count('DocumentProblem'))\n"
        "status = dict(line.split(':', 1) for line in Path('/proc/self/status').read_text().splitlines())\n"
        "print(int(status['VmHWM'].split()[0]) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    counts, megabytes = done.stdout.splitlines()
    assert counts == "10001 1"
    assert int(megabytes) < 120
