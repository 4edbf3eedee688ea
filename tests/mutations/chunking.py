"""Mutations of how documents are parsed and cut.

Belongs here: fences, borders, offsets, overlap, ids, the quality score, content hashes. Not here: storing any of it.
"""

from tests.mutations.mutation import Mutation

_PROSE = "headwater/chunking/prose_chunker.py"
_KEEPING = "headwater/chunking/borders.py"
_PACKING = "headwater/chunking/packer.py"
_CHUNKER = "headwater/chunking/chunker.py"
_QUALITY = "headwater/chunking/quality.py"
_VERSIONS = "headwater/syncing/new_versions.py"
_HASH_TEST = ("tests/unit/test_content_hash.py",)


def _left_out(line: str, why: str) -> Mutation:
    """A field that the content hash of a version leaves out."""
    return Mutation(file=_VERSIONS, old=f"        {line},\n", new="", tests=_HASH_TEST, why=why)


CHUNKING = (
    # Fences: a shorter one closes no longer one.
    Mutation(
        file="headwater/chunking/snippets.py",
        old=".startswith(opening_fence[1])",
        new=".startswith(opening_fence[1][0])",
        tests=("tests/unit/test_fences.py",),
        why="in plain text a shorter fence closes a longer one",
    ),
    Mutation(
        file="headwater/parsing/markdown/fences.py",
        old="{{{len(mark)},}}",
        new="{{3,}}",
        tests=("tests/unit/test_fences.py",),
        why="in a markdown file a shorter fence closes a longer one, and what follows is taken for prose",
    ),
    Mutation(
        file="headwater/quote/breadcrumbs.py",
        old="mark.startswith(fence)",
        new="mark.startswith(fence[:3])",
        tests=("tests/unit/test_fences.py",),
        why="a heading in a longer fence is taken for one of the document",
    ),
    # Quality.
    Mutation(
        file=_QUALITY,
        old="0.3 * diversity + 0.4 * density",
        new="0.4 * diversity + 0.3 * density",
        tests=("tests/unit/test_constants.py",),
        why="weights of diversity and density are swapped",
    ),
    Mutation(
        file=_QUALITY,
        old="0.4 * density + 0.3 * completeness",
        new="0.3 * density + 0.4 * completeness",
        tests=("tests/unit/test_constants.py",),
        why="weights of density and completeness are swapped",
    ),
    Mutation(
        file=_QUALITY,
        old="math.pow(len(words), 0.9)",
        new="math.pow(len(words), 0.8)",
        tests=("tests/unit/test_constants.py",),
        why="another exponent of Heaps' law",
    ),
    # Offsets and overlap.
    Mutation(
        file=_PROSE,
        old="start=start - overlap,",
        new="start=start,",
        tests=("tests/unit/test_chunking_prose.py",),
        why="a chunk's offset forgets its overlap, so citations point behind what they quote",
    ),
    Mutation(
        file=_PROSE,
        old="line=bisect_right(self._lines, start - overlap)",
        new="line=bisect_right(self._lines, start)",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="a chunk's line forgets its overlap",
    ),
    Mutation(
        file=_PROSE,
        old="_MIN_OVERLAP = 0.6",
        new="_MIN_OVERLAP = 0.1",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="the overlap may be a sixth of what is wanted",
    ),
    Mutation(
        file=_PROSE,
        old="sizes.maximum - sizes.overlap",
        new="sizes.maximum",
        tests=("tests/unit/test_chunking_prose.py",),
        why="chunks outgrow the maximum by their overlap",
    ),
    Mutation(
        file="headwater/chunking/snippets.py",
        old="start - weight <= SNIPPET_LIMIT * maximum",
        new="start - weight <= 40 * maximum",
        tests=("tests/unit/test_chunking_markdown.py", "tests/unit/test_chunking_prose.py"),
        why="code of any size stays in one chunk",
    ),
    # Borders.
    Mutation(
        file=_PACKING,
        old="return weight <= sizes.maximum and",
        new="return weight < sizes.maximum and",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="a piece of exactly the maximum is cut",
    ),
    Mutation(
        file=_PACKING,
        old="ends[-1]) < minimum and",
        new="ends[-1]) <= minimum and",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="a last piece of exactly the minimum is joined to the one before",
    ),
    Mutation(
        file=_PACKING,
        old="smaller_side(border) >= sizes.minimum",
        new="smaller_side(border) > sizes.minimum",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="a border that leaves exactly the minimum is not allowed",
    ),
    Mutation(
        file=_PACKING,
        old="strongest = max(run",
        new="strongest = min(run",
        tests=("tests/unit/test_packer.py",),
        why="the weakest border is cut first",
    ),
    Mutation(
        file=_PACKING,
        old="level >= levels[first]",
        new="level > levels[first]",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="a short section does not join its sibling before",
    ),
    # Keeping of borders.
    Mutation(
        file=_CHUNKER,
        old="if before else fresh",
        new="if not before else fresh",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="borders of the version before are not kept",
    ),
    Mutation(
        file="headwater/syncing/chunks.py",
        old="before=before,",
        new="before=(),",
        tests=("tests/integration/test_content_versions.py",),
        why="a sync does not ask for the borders of the version before",
    ),
    Mutation(
        file=_KEEPING,
        old="not text.startswith(chunk_text, start)",
        new="True",
        tests=("tests/unit/test_chunk_bounds.py",),
        why="borders behind an edit move",
    ),
    Mutation(
        file=_KEEPING,
        old=" and cut.headings(head, tail) == cut.headings_of(changed[0])",
        new="",
        tests=("tests/unit/test_borders.py",),
        why="a heading put into a chunk parts nothing",
    ),
    Mutation(
        file=_KEEPING,
        old="cut.weigh(front[-1], tail) < minimum",
        new="cut.weigh(front[-1], tail) <= 1",
        tests=("tests/unit/test_borders.py",),
        why="a short paragraph put in is a chunk of its own",
    ),
    # Ids and hashes.
    Mutation(
        file=_CHUNKER,
        old="text_hash, seen[text_hash])",
        new="text_hash, 0)",
        tests=("tests/unit/test_chunking_prose.py::test_ids_tell_equal_chunks_apart",),
        why="equal chunks of a document share an id",
    ),
    Mutation(
        file=_CHUNKER,
        old="chunk_settings_hash.hex(), text_hash",
        new="text_hash",
        tests=("tests/unit/test_chunking_prose.py::test_other_settings_make_other_ids",),
        why="chunks of other settings share ids",
    ),
    Mutation(
        file=_CHUNKER,
        old='" > ".join(breadcrumb), prose.strip()',
        new="prose.strip()",
        tests=("tests/unit/test_chunking_markdown.py::test_the_embedded_text_is_breadcrumb_and_prose",),
        why="headings are not embedded",
    ),
    Mutation(
        file="headwater/identity.py",
        old='separators=(",", ":")',
        new='separators=("", "")',
        tests=("tests/unit/test_constants.py",),
        why="parts of a content hash run into each other",
    ),
    _left_out("document.text", "a changed text is no new version"),
    _left_out("document.title", "a changed title is no new version"),
    _left_out("document.media_type", "a changed type is no new version"),
    _left_out("document.category", "a changed category is no new version"),
    _left_out("document.language", "a changed language is no new version"),
    _left_out("dict(metadata)", "changed metadata are no new version"),
    _left_out("list(document.references)", "a changed link is no new version"),
)
