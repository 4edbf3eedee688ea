"""A knowledge base in one YAML file (KB-4)."""

import json
from pathlib import Path

import pytest

from headwater.administration.knowledge_base_file import read_file
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import InvalidConfigurationError

GOOD = """\
knowledge_base:
  slug: nebari
  name: Nebari documentation
  settings:
    embedding_model: builtin/hash
    chunk_max: 800
sources:
  - {slug: docs, kind: markdown_tree, path: docs}
  - slug: notes
    kind: jsonl
    path: /data/notes.jsonl
    media_type: text/markdown
  - {slug: remote, kind: markdown_tree, git: "https://example.org/a/b", path: docs, branch: main}
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "kb.yaml"
    path.write_text(text)
    return path


def test_a_file_says_what_should_be(tmp_path: Path) -> None:
    """Relative paths are taken from the file's folder; a path within a repository stays."""
    spec = read_file(_write(tmp_path, GOOD))
    assert (spec.slug, spec.settings.chunk_max) == ("nebari", 800)
    assert [dict(source.config) for source in spec.sources] == [
        {"path": str(tmp_path / "docs")},
        {"path": "/data/notes.jsonl", "media_type": "text/markdown"},
        {"git": "https://example.org/a/b", "path": "docs", "branch": "main"},
    ]


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (("slug: nebari", "slug: Nebari Docs"), ":2: knowledge_base.slug", "lower-case letters"),
        (("  name: Nebari", "  nmae: Nebari"), ":3: knowledge_base.nmae", "Did you mean `name`"),
        (("chunk_max: 800", "chunk_max: 3"), ":6: knowledge_base.settings.chunk_max", "200"),
        (("builtin/hash", "builtin/best"), ":5: knowledge_base.settings.embedding_model", "builtin/minilm-int8"),
        (("chunk_max: 800", "chunk_min: 900"), ":4: knowledge_base.settings", "half"),
        (("kind: jsonl", "kind: ftp"), ":10: sources[1].kind", "jsonl"),
        (("media_type: text/markdown", "media_type: pdf"), ":12: sources[1].media_type", "text/plain"),
        (("    path: /data/notes.jsonl\n", ""), ":9: sources[1]: `path`", "missing"),
        (("slug: notes", "slug: docs"), ":9: sources[1].slug", "twice"),
        (("https://example.org/a/b", "ext::sh -c id"), ":13: sources[2]", "git"),
        ((GOOD[GOOD.index("sources:") :], "sources: {x: 1}\n"), ":7: sources", "list"),
        (("knowledge_base:", "knowledge_base: ["), ":", "not YAML"),
        (("sources:\n", "sources: []\nsources:\n"), ":8: not YAML", "twice"),
        ((GOOD, ""), ":1:", "dictionary"),
        ((GOOD, "a: &a [x]\nb: *a\n"), ":2", "aliases"),
    ],
)
def test_an_error_names_file_line_and_field(tmp_path: Path, change: tuple[str, str], place: str, words: str) -> None:
    """The author of the file finds the error."""
    path = _write(tmp_path, GOOD.replace(*change))
    with pytest.raises(InvalidConfigurationError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}{place}"), str(caught.value)
    assert words in str(caught.value)


def test_a_setting_of_an_earlier_release_is_a_note(tmp_path: Path) -> None:
    """The file is still valid; the note names the line, so that it can be removed."""
    path = _write(tmp_path, GOOD.replace("    chunk_max: 800\n", "    chunk_max: 800\n    drift_limit: 0.1\n"))
    spec = read_file(path)
    assert spec.notes == (f"{path}:7: the setting drift_limit has no effect any more. Remove it.",)
    assert (spec.settings, read_file(_write(tmp_path, GOOD)).notes) == (read_file(path).settings, ())


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    """Not a stack trace."""
    with pytest.raises(InvalidConfigurationError, match="No such file"):
        read_file(tmp_path / "none.yaml")


def test_an_unknown_reranker_is_refused_with_its_line(tmp_path: Path) -> None:
    """As an unknown embedding model is."""
    file = tmp_path / "kb.yaml"
    file.write_text("knowledge_base:\n  slug: kb\n  settings:\n    rerank_model: openai/x\n", encoding="utf-8")
    with pytest.raises(
        InvalidConfigurationError, match=r"kb\.yaml:4: knowledge_base\.settings\.rerank_model: There is no"
    ):
        read_file(file)


def test_boosts_are_read_from_the_file(tmp_path: Path) -> None:
    """And written back as they were chosen, so that applying again changes nothing."""
    file = tmp_path / "kb.yaml"
    file.write_text(
        "knowledge_base:\n  slug: kb\n  settings:\n    boosts:\n      - {uri: index.md, factor: 2}\n", encoding="utf-8"
    )
    settings = read_file(file).settings
    assert [(boost.uri, boost.factor) for boost in settings.boosts] == [("index.md", 2)]
    stored = json.loads(json.dumps(settings.model_dump(exclude_defaults=True)))
    assert KnowledgeBaseSettings.model_validate(stored) == settings
