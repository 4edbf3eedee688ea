"""Mutations of models that run here, and of what is said about models.

Belongs here: fastembed, and the states of models. Not here: embedding and search (`searching`).
"""

from tests.mutations.mutation import Mutation

_AVAILABILITY = "headwater/models_gateway/model_availability.py"
_AVAILABILITY_TESTS = ("tests/unit/test_model_availability.py",)
_EMBEDDER = "headwater/models_gateway/fastembed_embedder.py"
_EMBEDDER_TESTS = ("tests/unit/test_fastembed.py",)
_REQUESTS = "headwater/models_gateway/parallel_requests.py"
_REQUESTS_TESTS = ("tests/unit/test_parallel_requests.py",)
_STATES = ("tests/integration/test_model_states.py",)

MODELS = (
    Mutation(
        file=_REQUESTS,
        old="while is_open and self._waiting and self._under_way < self._pace.size:",
        new="while is_open and self._waiting:",
        tests=_REQUESTS_TESTS,
        why="a sync sends everything at once, and a slow server lets it time out",
    ),
    Mutation(
        file=_REQUESTS,
        old="while self._under_way or (self._waiting and self._error is None):",
        new="while self._error is None and (self._under_way or self._waiting):",
        tests=_REQUESTS_TESTS,
        why="vectors that were paid for are thrown away because another request failed",
    ),
    Mutation(
        file=_REQUESTS,
        old="self._error is None and time.monotonic() >= self._paused_until",
        new="self._error is None",
        tests=_REQUESTS_TESTS,
        why="a server that asks to wait gets the other requests meanwhile",
    ),
    Mutation(
        file=_REQUESTS,
        old="job.outcome = None if self._closed.is_set() else self._send(job.request)",
        new="job.outcome = self._send(job.request)",
        tests=_REQUESTS_TESTS,
        why="a cancelled sync still sends what waits for its turn",
    ),
    Mutation(
        file=_EMBEDDER,
        old='f"{self._before_question}{text}"',
        new='f"{text}"',
        tests=_EMBEDDER_TESTS,
        why="a question reaches the model without the words that it was trained with",
    ),
    Mutation(
        file=_EMBEDDER,
        old="return not self._languages or",
        new="return",
        tests=_EMBEDDER_TESTS,
        why="a multilingual model counts as knowing no language",
    ),
    Mutation(
        file="headwater/models_gateway/fastembed_reranker.py",
        old="return sigmoid(float(logit))",
        new="return float(logit)",
        tests=_EMBEDDER_TESTS,
        why="a cross-encoder's logits are compared with thresholds between 0 and 1",
    ),
    Mutation(
        file="headwater/models_gateway/fastembed_files.py",
        old="    if _has_files(model, role, folder):\n        return\n",
        new="",
        tests=_EMBEDDER_TESTS,
        why="a model that was copied into a folder is downloaded all the same",
    ),
    Mutation(
        file=_AVAILABILITY,
        old="if last is not None and last.age < _FRESH:",
        new="if last is not None and last.age > _FRESH:",
        tests=_AVAILABILITY_TESTS,
        why="a model that fails counts as usable because its server lists models",
    ),
    Mutation(
        file=_AVAILABILITY,
        old="if last is not None and last.age < _RECENT else None",
        new="if last is not None else None",
        tests=_AVAILABILITY_TESTS,
        why="one failed call of a provider counts against it for ever",
    ),
    Mutation(
        file="headwater/models_gateway/model_failures.py",
        old='if failure.kind != "unusable" and not failure.is_too_long:',
        new='if failure.kind != "unusable":',
        tests=_AVAILABILITY_TESTS,
        why="a text that is too long makes the API degraded",
    ),
    Mutation(
        file="headwater/models_gateway/ollama.py",
        old='else f"{name}:latest"',
        new="else name",
        tests=_AVAILABILITY_TESTS,
        why="a model without a tag counts as missing",
    ),
    Mutation(
        file="headwater/administration/model_states.py",
        old="time.monotonic() - self._looked_at > _MAX_AGE:",
        new="time.monotonic() - self._looked_at > 0:",
        tests=_STATES,
        why="every health check asks every server",
    ),
    Mutation(
        file="headwater/administration/model_states.py",
        old="thread.join(max(deadline - time.monotonic(), 0.0))",
        new="thread.join()",
        tests=_STATES,
        why="a health check waits for ever for a server that hangs",
    ),
    Mutation(
        file="query_api/routes/health.py",
        old='"degraded" if is_degraded else "ok"',
        new='"ok"',
        tests=_STATES,
        why="a model that is down does not show in the API's state",
    ),
)
