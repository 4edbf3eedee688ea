-- The cross-encoder has taken the place of the reranker that compared MiniLM's tokens.
UPDATE knowledge_bases SET settings = settings || '{"rerank_model": "builtin/cross-encoder"}'
 WHERE settings->>'rerank_model' = 'builtin/maxsim';
