"""Mutations of finding, ranking, and trusting.

Belongs here: weights, fusion, filters, thresholds. Not here: what fills an index (`indexing`), quotes (`quoting`).
"""

from tests.mutations.mutation import Mutation

_TRUST = "headwater/retrieval/trust.py"
_FUSE = "headwater/retrieval/fusion.py"
_BM25 = "headwater/lexical/bm25.py"
_SEARCH = "headwater/store/search/passage_search.sql"
_PAST = "headwater/store/search/past_search.sql"
_SEARCHING = "headwater/store/search/passage_search.py"
_CONSTANTS = ("tests/unit/test_constants.py",)
_FUSION = ("tests/integration/test_fusion.py",)
_FILTERS = ("tests/integration/test_filter_bounds.py",)

SEARCHING = (
    # BM25 and the fusion of ranks.
    Mutation(file=_BM25, old="K1 = 1.2", new="K1 = 1.5", tests=_CONSTANTS, why="another k1"),
    Mutation(file=_BM25, old="B = 0.75", new="B = 0.5", tests=_CONSTANTS, why="another b"),
    Mutation(file=_BM25, old="HEADING_BOOST = 2", new="HEADING_BOOST = 3", tests=_CONSTANTS, why="headings count more"),
    Mutation(
        file=_BM25,
        old="math.log(1 + (entry_count - holding + 0.5) / (holding + 0.5))",
        new="math.log(1 + (entry_count - holding + 0.5) / (holding + 1.0))",
        tests=_CONSTANTS,
        why="another idf in Python",
    ),
    Mutation(
        file="headwater/store/search/passage_search.sql",
        old="/ (coalesce(t.entry_count, 0) + 0.5)) AS idf",
        new="/ (coalesce(t.entry_count, 0) + 1.0)) AS idf",
        tests=_FUSION,
        why="another idf in SQL",
    ),
    Mutation(
        file=_SEARCH,
        old="1 / (60 + n.place)",
        new="1 / (50 + n.place)",
        tests=_FUSION,
        why="another k for the vectors' ranks",
    ),
    Mutation(
        file=_SEARCH,
        old="1 / (60 + m.place)",
        new="1 / (50 + m.place)",
        tests=_FUSION,
        why="another k for the words' ranks",
    ),
    Mutation(
        file=_PAST,
        old="1 / (60 + n.place)",
        new="1 / (50 + n.place)",
        tests=_FUSION,
        why="another k for the vectors' ranks of the past",
    ),
    Mutation(
        file=_PAST,
        old="1 / (60 + m.place)",
        new="1 / (50 + m.place)",
        tests=_FUSION,
        why="another k for the words' ranks of the past",
    ),
    Mutation(file=_FUSE, old="RANK_OFFSET = 60", new="RANK_OFFSET = 50", tests=_CONSTANTS, why="another k in Python"),
    Mutation(
        file=_FUSE,
        old="vector * vector_weight + text * (1 - vector_weight)",
        new="vector * (1 - vector_weight) + text * vector_weight",
        tests=("tests/unit/test_fusion.py",),
        why="the weight of vectors is that of words in Python",
    ),
    Mutation(
        file=_BM25,
        old="idf(len(texts), holding[word]) / 2",
        new="idf(len(texts), holding[word])",
        tests=_CONSTANTS,
        why="among few passages a rare word counts many times as much",
    ),
    Mutation(
        file=_SEARCH,
        old="coalesce(n.share, 0) * %(vector_weight)s::float8",
        new="coalesce(n.share, 0) * (1 - %(vector_weight)s::float8)",
        tests=("tests/integration/test_retrieval.py",),
        why="the weight of vectors is that of words",
    ),
    # Trust and thresholds.
    Mutation(
        file=_TRUST,
        old="if trust < floor:",
        new="if trust <= floor:",
        tests=("tests/unit/test_trust_bounds.py",),
        why="a trust of exactly the floor is dropped",
    ),
    Mutation(
        file=_TRUST,
        old="elif trust < best - margin:",
        new="elif trust <= best - margin:",
        tests=("tests/unit/test_trust_bounds.py",),
        why="a trust of exactly the margin under the best is dropped",
    ),
    Mutation(
        file=_TRUST,
        old="UNKNOWN_NAME = 0.7",
        new="UNKNOWN_NAME = 1.0",
        tests=("tests/unit/test_trust.py",),
        why="a name that no passage holds speaks against nothing where only words were searched",
    ),
    Mutation(
        file=_TRUST,
        old="COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 3.1, 2.7)",
        new="COEFFICIENTS = (-3.4, 1.1, 1.1, 0.0, 3.1, 2.7)",
        tests=("tests/unit/test_trust.py",),
        why="a name that no passage holds speaks against nothing",
    ),
    Mutation(
        file=_TRUST,
        old="COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 3.1, 2.7)",
        new="COEFFICIENTS = (-3.4, 1.1, 0.0, -2.9, 3.1, 2.7)",
        tests=("tests/unit/test_trust.py",),
        why="a passage in other words is not trusted, however close in meaning",
    ),
    Mutation(
        file=_TRUST,
        old="COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 3.1, 2.7)",
        new="COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 0.0, 2.7)",
        tests=("tests/unit/test_trust.py",),
        why="the text beside a passage does not count",
    ),
    Mutation(
        file=_TRUST,
        old="COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 3.1, 2.7)",
        new="COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 3.1, 0.0)",
        tests=("tests/unit/test_trust.py",),
        why="a passage counts as much if all are equally near",
    ),
    Mutation(
        file="headwater/retrieval/result_trust.py",
        old="floor=settings.trust_floor",
        new="floor=0.0",
        tests=("tests/integration/test_answers.py",),
        why="a question beside the documents is answered",
    ),
    Mutation(
        file="headwater/retrieval/result_order.py",
        old="similarity is None or similarity >= threshold",
        new="similarity is None or similarity > threshold",
        tests=("tests/unit/test_trust_bounds.py",),
        why="a similarity of exactly the threshold is dropped",
    ),
    Mutation(
        file="headwater/retrieval/reranking/lexical_reranker.py",
        old="if passage.score >= threshold)",
        new="if passage.score > threshold)",
        tests=("tests/unit/test_trust_bounds.py",),
        why="a reranker's score of exactly the threshold loses the passage",
    ),
    # Refusals.
    Mutation(
        file="headwater/answering/corpus_readiness.py",
        old="if not any(source.has_documents for source in sources):",
        new="if False:",
        tests=("tests/integration/test_answers.py",),
        why="a question before the first sync is refused as if documents did not answer it",
    ),
    Mutation(
        file="headwater/answering/answer_maker.py",
        old="self.answerer.answer(evidence, self.read) if has_any else refuse(evidence)",
        new="self.answerer.answer(evidence, self.read)",
        tests=("tests/integration/test_answerers.py",),
        why="a model is asked about what nothing trusted was found for",
    ),
    # Filters.
    Mutation(
        file=_SEARCH,
        old="coalesce(v.dated_at, v.fetched_at) >= %(dated_from)s",
        new="coalesce(v.dated_at, v.fetched_at) > %(dated_from)s",
        tests=_FILTERS,
        why="the first instant of a range of dates is left out",
    ),
    Mutation(
        file=_SEARCH,
        old="coalesce(v.dated_at, v.fetched_at) < %(dated_to)s",
        new="coalesce(v.dated_at, v.fetched_at) <= %(dated_to)s",
        tests=_FILTERS,
        why="the end of a range of dates is in it",
    ),
    Mutation(
        file=_PAST,
        old="coalesce(v.dated_at, v.fetched_at) >= %(dated_from)s",
        new="coalesce(v.dated_at, v.fetched_at) > %(dated_from)s",
        tests=_FILTERS,
        why="the first instant of a range of dates is left out of the past",
    ),
    Mutation(
        file=_PAST,
        old="coalesce(v.dated_at, v.fetched_at) < %(dated_to)s",
        new="coalesce(v.dated_at, v.fetched_at) <= %(dated_to)s",
        tests=_FILTERS,
        why="the end of a range of dates is in it as of the past",
    ),
    Mutation(
        file=_SEARCH,
        old="'_', '-') || '-', f || '-')",
        new="'_', '-'), f)",
        tests=_FILTERS,
        why="a filter of a language takes every one that begins like it",
    ),
    Mutation(
        file=_SEARCH,
        old="starts_with(v.category, f || '/')",
        new="starts_with(v.category, f)",
        tests=_FILTERS,
        why="a filter of a category takes every one that begins like it",
    ),
    Mutation(
        file=_SEARCH,
        old="d.uri = ANY(%(documents)s) OR d.id::text = ANY(%(documents)s)",
        new="d.uri = ANY(%(documents)s)",
        tests=_FILTERS,
        why="documents are not found by their ids",
    ),
    Mutation(
        file="headwater/store/catalogue/sources.sql",
        old="starts_with(s.category, f || '/')",
        new="starts_with(s.category, f)",
        tests=_FILTERS,
        why="a filter of a source's category takes every one that begins like it",
    ),
    Mutation(
        file="headwater/store/catalogue/sources.sql",
        old="s.tags && %(tags)s::text[] AS has_tag",
        new="s.tags @> %(tags)s::text[] AS has_tag",
        tests=_FILTERS,
        why="of several tags a source must have all",
    ),
    Mutation(
        file=_SEARCH,
        old="AND (%(tags)s::text[] IS NULL",
        new="OR (%(tags)s::text[] IS NULL",
        tests=_FILTERS,
        why="a filter of sources and tags takes either",
    ),
    Mutation(
        file=_SEARCHING,
        old='if with_documents and not row["has_labelled"] and not any(',
        new="if with_documents and not any(",
        tests=_FILTERS,
        why="documents are not found by their own labels",
    ),
    # How thoroughly an index is scanned.
    Mutation(
        file=_SEARCHING,
        old="(scope.entry_count or 0) <= EXACT_SCAN",
        new="(scope.entry_count or 0) > EXACT_SCAN",
        tests=("tests/integration/test_fusion.py",),
        why="a narrow filter is searched through HNSW",
    ),
    Mutation(
        file=_SEARCHING,
        old="if rows else 0) < needed_count",
        new="if rows else 0) < 0",
        tests=("tests/integration/test_fusion.py",),
        why="what HNSW does not find behind a filter is not looked for again",
    ),
    Mutation(
        file="headwater/indexing/preparation.py",
        old="is_large = entries > MAX_EXACT_ENTRIES",
        new="is_large = entries >= MAX_EXACT_ENTRIES",
        tests=("tests/integration/test_fusion.py",),
        why="an index of exactly the limit is not scanned exactly",
    ),
    Mutation(
        file="headwater/store/search/past_search.sql",
        old="u.published_at <= %(as_of)s",
        new="u.published_at < %(as_of)s",
        tests=("tests/integration/test_as_of.py",),
        why="at the instant of a publication nothing is seen",
    ),
    Mutation(
        file="headwater/store/search/past_search.sql",
        old="u.withdrawn_at > %(as_of)s",
        new="u.withdrawn_at >= %(as_of)s",
        tests=("tests/integration/test_as_of.py",),
        why="at the instant of a change two versions are seen",
    ),
    Mutation(
        file="headwater/store/search/summary_entries.sql",
        old="CASE WHEN %(document_ids)s::uuid[] IS NULL THEN n.kind = 'source'",
        new="CASE WHEN true THEN n.kind = 'source'",
        tests=("tests/integration/test_summary_search.py",),
        why="the summary of a whole source answers a search of one document",
    ),
    Mutation(
        file="headwater/store/search/summary_entries.sql",
        old="t.target_id = e.target_id AND t.embedding_hash = e.embedding_hash);",
        new="t.target_id = e.target_id);",
        tests=("tests/integration/test_summary_search.py",),
        why="search finds what a summary said before",
    ),
    Mutation(
        file="headwater/store/search/summary_entries.py",
        old='if count and row["state"] == "active":',
        new="if False:",
        tests=("tests/integration/test_summary_search.py",),
        why="an answer from an old tree is served again",
    ),
    Mutation(
        file="headwater/retrieval/broad_summaries.py",
        old="if is_one or is_long",
        new="if is_long",
        tests=("tests/integration/test_summary_search.py",),
        why="a document is compared with itself",
    ),
)
