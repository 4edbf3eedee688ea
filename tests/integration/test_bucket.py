"""Buckets (SRC-4): moto's S3 with checked signatures, and servers that misbehave."""

import logging
import random
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, HeadwaterError, SourceError
from headwater.fetching.credentials import Credential
from headwater.fetching.http_client import HttpClient
from headwater.fetching.http_request import HttpRequest
from headwater.sources.bucket.azure import AzureContainer
from headwater.sources.connector import FetchedDocument, Found, open_connector
from headwater.sources.source_context import SourceContext
from tests.hostile_server import loopback_gate
from tests.s3_server import S3Server, explain, s3_server
from tests.support import Headwater, free_port

Make = Callable[..., Headwater]
ODD = "manual/ä b+c/x(1)'*~!@,;=&$%41.md"
LIST = b"""<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s%s</ListBucketResult>"""
ENTRY = b'<Contents><Key>%s</Key><ETag>"%s"</ETag><Size>9</Size><LastModified>2026-06-01</LastModified></Contents>'


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    """The server, which takes three seconds to start."""
    for name in ("moto", "flask_cors"):
        pytest.importorskip(name, reason="moto is the bucket's server")
    with s3_server() as running:
        yield running


@pytest.fixture
def bucket(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bucket of 24 objects in a folder, one outside of it, and its credential in the environment."""
    name = f"docs-{random.randrange(10**9)}"
    s3.client.create_bucket(Bucket=name)
    for number in range(22):
        put(s3, name, f"manual/{number:02}.md", f"# Wheel {number}\n\nThe wheel number {number} turns.")
    put(s3, name, ODD, "# Odd\n\nThe anchor weighs nine tons.")
    put(s3, name, "manual/film.bin", random.Random(1).randbytes(200_000))
    s3.client.put_object(Bucket=name, Key="manual/empty/", Body=b"")
    put(s3, name, "other.md", "# Other\n\nNobody asked for it.")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_S3", f"{s3.key}:{s3.secret}")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_S3_HOST", s3.host)
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    s3.requests()
    return name


def put(s3: S3Server, bucket: str, key: str, content: str | bytes) -> None:
    """Write an object."""
    s3.client.put_object(Bucket=bucket, Key=key, Body=content, ContentType="text/markdown")


def config(s3: S3Server, bucket: str, **more: Any) -> dict[str, Any]:
    """The config of a source."""
    return {"url": f"s3://{bucket}/manual/", "endpoint": s3.url, "credential": "s3", **more}


def fetch(chosen: dict[str, Any], *, waits: list[float] | None = None, folder: Path | None = None) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    told: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder or Path("own"), gate=loopback_gate(), wait=lambda seconds, _: told.append(seconds)
    )
    return open_connector("bucket", chosen, context).fetch()


def is_listening(port: int) -> bool:
    """Whether somebody accepts connections."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_exactly_what_changed_is_touched(
    headwater: Make, s3: S3Server, bucket: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Three objects are edited, one is deleted, one is copied to another key and deleted; half a list asks first.

    A quiet sync is one request, also with an object that nobody reads; citations name the object (SRC-4, SRC-14).
    """
    caplog.set_level(logging.DEBUG)
    kb = headwater()
    link = "https://files.example.com/{key}"
    kb.store.sources.create(
        kb.slug, slug="bucket", kind="bucket", config=config(s3, bucket, link=link), settings=SourceSettings()
    )
    done = kb.sync("bucket")["bucket"]
    assert (done.state, done.added, done.errors) == ("ready", 23, [])
    assert [line.reason for line in done.skipped or []] == ["no_parser"]
    assert len(s3.requests()) == 1 + 23 + 1
    before = kb.content()
    done = kb.sync("bucket")["bucket"]
    assert (done.unchanged, done.rows_written, len(s3.requests())) == (23, 0, 1)
    assert [line.reason for line in done.skipped or []] == ["no_parser"]
    assert kb.content() == before
    for number in (3, 7, 11):
        put(s3, bucket, f"manual/{number:02}.md", f"# Wheel {number}\n\nThe lamp was mended.")
    s3.client.delete_object(Bucket=bucket, Key="manual/05.md")
    s3.client.copy_object(Bucket=bucket, Key="manual/moved/09.md", CopySource=f"{bucket}/manual/09.md")
    s3.client.delete_object(Bucket=bucket, Key="manual/09.md")
    ids = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    done = kb.sync("bucket")["bucket"]
    assert (done.added, done.removed, done.unchanged, done.errors) == (0, 1, 18, [])
    asked = sorted(path.partition("?")[0].rpartition("/")[2] for path in s3.requests())
    assert asked == ["03.md", "07.md", "09.md", "11.md", bucket]
    now = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")}
    root = f"s3://{bucket}/manual"
    assert now[f"{root}/moved/09.md"] == ids[f"{root}/09.md"]
    (passage,) = [one for one in kb.search("anchor nine tons") if "anchor" in one.text]
    assert passage.uri == f"s3://{bucket}/{ODD}"
    answer = kb.ask("How much does the anchor weigh?")
    assert "https://files.example.com/manual/%C3%A4%20b%2Bc/x%281%29%27%2A~%21%40%2C%3B%3D%26%24%2541.md" in repr(
        answer
    )
    half = LIST % (b"".join(ENTRY % (b"manual/%02d.md" % number, b"x") for number in range(2)), b"")
    with s3.failing(lambda path: (200, {}, half) if "list-type" in path else explain(404, "NoSuchKey")):
        done = kb.sync("bucket")["bucket"]
    assert [error.code for error in done.errors] == ["DELETIONS_HELD"]
    assert kb.source("bucket").document_count == 22
    assert s3.secret not in f"{kb.dump()} {caplog.text}"


def test_a_busy_bucket_is_waited_for(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    """As long as it says (503 SlowDown, 429), whatever it was asked for."""
    answers = [explain(503, "SlowDown", **{"Retry-After": "120"}), explain(429, "TooMany", **{"Retry-After": "7"})]
    waits: list[float] = []
    with s3.failing(lambda _: answers.pop(0) if answers else None):
        assert len(list(fetch(config(s3, bucket), waits=waits, folder=tmp_path))) == 23
    assert waits == [120.0, 7.0]


def test_a_token_that_ends_in_the_middle_loses_nothing(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew; nothing else is asked for."""
    found: list[Found] = []

    def end(path: str) -> tuple[int, dict[str, str], bytes] | None:
        return explain(400, "ExpiredToken") if "/03.md" in path else None

    with (
        s3.failing(end),
        pytest.raises(SourceError, match="no longer accepts the credential s3") as caught,
    ):
        found.extend(fetch(config(s3, bucket), folder=tmp_path))
    items = [path for path in s3.requests() if "list-type" not in path]
    assert len(items) == 4
    assert s3.secret not in str(caught.value)


@pytest.mark.parametrize(
    ("secret", "more", "message"),
    [
        ("{key}:wrong", {}, "does not accept the credential s3 (SignatureDoesNotMatch)"),
        ("AKIANOBODY:{secret}", {}, "does not accept the credential s3 (InvalidAccessKeyId)"),
        ("{secret}", {}, "must be an access key and its secret"),
        ("{key}:{secret}", {"url": "s3://no-such-bucket/"}, "does not exist"),
        ("{key}:{secret}", {"max_objects": 5}, "more than 5 objects"),
        ("{key}:{secret}", {"endpoint": "http://169.254.169.254"}, "is not for 169.254.169.254"),
        ("{key}:{secret}", {"endpoint": "http://169.254.169.254", "credential": None}, "169.254.169.254 is refused"),
        ("{key}:{secret}", {"endpoint": "http://10.0.0.1:9000", "credential": None}, "10.0.0.1 is refused"),
    ],
)
def test_a_wrong_source_says_what_to_change(
    s3: S3Server,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    secret: str,
    more: dict[str, Any],
    message: str,
) -> None:
    """Nothing is read, and no message holds the secret (SRC-14, SEC-1)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_S3", secret.format(key=s3.key, secret=s3.secret))
    with pytest.raises(HeadwaterError, match=re.escape(message)) as caught:
        list(fetch({**config(s3, bucket), **more}, folder=tmp_path))
    assert s3.secret not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ((307, {"Location": "http://169.254.169.254/latest/"}, b""), FetchError, "redirects"),
        ((301, {"x-amz-bucket-region": "eu-west-1"}, b""), SourceError, "region: eu-west-1"),
        ((200, {}, b"<html>Welcome</html>"), SourceError, "no list of objects"),
        ((200, {}, b'<!DOCTYPE a [<!ENTITY x "y">]><ListBucketResult>&x;</ListBucketResult>'), SourceError, "entities"),
        ((200, {}, LIST % (b"", b"<NextContinuationToken>a</NextContinuationToken>")), FetchError, "does not end"),
        (explain(403, "AccessDenied"), SourceError, "does not let the credential s3 list it"),
        (explain(500, "InternalError"), FetchError, "answers 500 (InternalError)"),
    ],
)
def test_a_list_that_is_none_removes_nothing(
    s3: S3Server,
    bucket: str,
    tmp_path: Path,
    answer: tuple[int, dict[str, str], bytes],
    error: type[Exception],
    message: str,
) -> None:
    """It is an error of the whole source (SEC-1)."""
    with s3.failing(lambda _: answer), pytest.raises(error, match=re.escape(message)):
        list(fetch(config(s3, bucket), folder=tmp_path))


def test_a_public_bucket_needs_no_secret(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    """Its pages are followed; one object that may not be read is a problem of its own; citations open objects."""
    more = b"<NextContinuationToken>t/1=</NextContinuationToken>"
    pages = [LIST % (ENTRY % (b"manual/a.md", b"1"), more), LIST % (ENTRY % (b"manual/b.md", b"2"), b"")]

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        if "list-type" in path:
            return 200, {}, pages["continuation-token=t%2F1%3D" in path]
        return explain(403, "AccessDenied") if path.endswith("b.md") else (200, {}, b"# A\n\nThe mill.")

    with s3.failing(answer):
        found = list(fetch({**config(s3, bucket), "credential": None}, folder=tmp_path))
    assert isinstance(found[0], FetchedDocument)
    places = found[0].parse().places
    assert places is not None
    assert places.address == f"{s3.url}/{bucket}/manual/a.md"
    assert isinstance(found[1], DocumentProblem)
    assert (found[1].uri, found[1].code) == (f"s3://{bucket}/manual/b.md", "FETCH_FAILED")


AZURITE = shutil.which("azurite-blob")
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # Microsoft's own


@pytest.fixture
def azure(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Azurite, which checks signatures, with a container; its address."""
    if AZURITE is None:
        pytest.skip("azurite-blob is not installed (npm install --global azurite)")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        options = [
            "--blobPort",
            str(port),
            "--location",
            folder,
            "--silent",
            "--skipApiVersionCheck",
            "--disableTelemetry",
        ]
        process = subprocess.Popen([AZURITE, *options], cwd=folder)
        try:
            while not is_listening(port):
                time.sleep(0.05)
            monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ", KEY)
            monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ_HOST", f"127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}/{ACCOUNT}"
        finally:
            process.terminate()
            process.wait(20)


class _Writer(AzureContainer):
    """Signs requests that write."""

    def put(self, url: str, content: bytes, **headers: str) -> None:
        """Write a container or a blob."""
        length = {"Content-Length": str(len(content))} if content else {}
        sent = self.sign(url, {**length, **headers})
        with HttpClient(loopback_gate()) as client:
            answer = client.send(url, HttpRequest(method="PUT", headers=sent, content=content))
        assert answer.status == 201, answer

    def _text(self, url: str, sent: Mapping[str, str]) -> str:
        return super()._text(url, sent).replace("GET", "PUT", 1)


def test_a_container_of_azure_is_read(azure: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Listed and read with signatures that Azurite checks; a wrong key is refused, and said so."""
    writer = _Writer(base=f"{azure}/docs", account=ACCOUNT, credential=Credential(name="az", secret=KEY))
    writer.put(f"{writer.base}?restype=container", b"")
    for key, content in (("ä b.md", b"# A\n\nThe mill."), ("film.bin", random.Random(1).randbytes(99_000))):
        writer.put(writer.object_address(f"manual/{key}"), content, **{"x-ms-blob-type": "BlockBlob"})
    chosen = {"url": f"az://{ACCOUNT}/docs/manual/", "endpoint": azure, "credential": "az"}
    (found,) = fetch(chosen, folder=tmp_path)
    assert isinstance(found, FetchedDocument)
    assert (found.uri, found.parse().title) == (f"az://{ACCOUNT}/docs/manual/ä b.md", "A")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ", "AAAA")
    with pytest.raises(SourceError, match="the credential az"):
        list(fetch(chosen, folder=tmp_path))
