"""Mutations of who may do what: keys, sessions, knowledge bases that a caller may not see, limits.

Belongs here: guards of the API and the Dagster UI. Not here: what sources may reach (`fetching`).
"""

from tests.mutations.mutation import Mutation

_TABLE = ("tests/integration/test_access_table.py",)
_KEYS = "tests/integration/test_keys.py"
_RUNNING = "tests/integration/test_running_answers.py"
_DOORS = "tests/probe/test_http_doors.py"
_WAYS = "tests/probe/test_ways_around.py"
_TALKS = (f"{_TABLE[0]}::test_a_conversation_is_read_by_its_own_key_and_by_administrators",)

ACCESS = (
    Mutation(
        file="query_api/guards/visibility.py",
        old="return store.owners.of(kind, row_id) in caller.visible",
        new="return store.owners.of(kind, row_id) is not None",
        tests=_TABLE,
        why="a key to one knowledge base reads another one",
    ),
    Mutation(
        file="headwater/store/access/owners.py",
        old='row["owner"] is not None and row["owner"] == reader.owner',
        new='row["owner"] is not None',
        tests=_TALKS,
        why="a key reads, traces and judges the turns of another key's conversation",
    ),
    Mutation(
        file="headwater/store/work/conversations.sql",
        old="AND (%(sees_all)s OR c.owner = %(owner)s::text)\n   AND (%(before)s",
        new="AND (true OR %(sees_all)s OR c.owner = %(owner)s::text)\n   AND (%(before)s",
        tests=_TALKS,
        why="a key lists and finds the conversations of others",
    ),
    Mutation(
        file="headwater/store/work/conversations.sql",
        old="AND (%(sees_all)s OR c.owner = %(owner)s::text)\n   AND c.pinned_at",
        new="AND (true OR %(sees_all)s OR c.owner = %(owner)s::text)\n   AND c.pinned_at",
        tests=_TALKS,
        why="a key sees what others have pinned",
    ),
    Mutation(
        file="headwater/store/work/answers.sql",
        old="c.owner = %(owner)s::text))\n   AND (%(before)s",
        new="(true OR c.owner = %(owner)s::text)))\n   AND (%(before)s",
        tests=_TALKS,
        why="the list of answers shows the turns of others",
    ),
    Mutation(
        file="headwater/store/work/answers.sql",
        old="AND (%(sees_all)s OR a.asked_by = %(owner)s::text\n",
        new="AND (true OR %(sees_all)s OR a.asked_by = %(owner)s::text\n",
        tests=(f"{_RUNNING}::test_a_key_ends_only_what_it_asked_for",),
        why="a key ends the answer of another one that another process makes",
    ),
    Mutation(
        file="query_api/answer_access.py",
        old="return reader.sees_all or is_own or task.request.conversation_id is not None",
        new="return True",
        tests=(f"{_RUNNING}::test_a_key_ends_only_what_it_asked_for",),
        why="a key ends the answer of another one",
    ),
    Mutation(
        file="query_api/answer_access.py",
        old="        check_of(task).require()\n",
        new="        check_of(task)\n",
        tests=(f"{_RUNNING}::test_what_another_process_deleted_is_not_told_from_memory",),
        why="an answer of a deleted conversation is told from memory",
    ),
    Mutation(
        file="headwater/answering/answer_tasks.py",
        old="return None if task is None or task.is_stored else task",
        new="return task",
        tests=("tests/integration/test_answer_tasks.py::test_no_answer_stays_in_memory_once_its_end_is_stored",),
        why="an answer that has ended is told from memory",
    ),
    Mutation(
        file="headwater/store/work/conversations.sql",
        old="scope ~ '(^| )POST",
        new="scope ~ '^POST",
        tests=(f"{_RUNNING}::test_no_repeat_tells_what_was_deleted",),
        why="a key's kept responses outlive the conversation that they tell",
    ),
    Mutation(
        file="headwater/store/catalogue/overviews.sql",
        old="c.owner = %(owner)s::text",
        new="(true OR c.owner = %(owner)s::text)",
        tests=_TALKS,
        why="the status page shows the questions of others",
    ),
    Mutation(
        file="query_api/pages/chat.py",
        old='return site in ("same-origin", "none")',
        new="return True",
        tests=("tests/browser/test_chat.py::test_a_question_in_the_address_is_asked_unless_another_site_wrote_it",),
        why="a link on another site asks, and spends what an answer costs",
    ),
    Mutation(
        file="query_api/mcp/tools.py",
        old='if not is_seen or not may_read(store(), caller(), "answer", given.id):',
        new="if not is_seen:",
        tests=_TALKS,
        why="the tool trace reads the turns of others",
    ),
    Mutation(
        file="query_api/guards/authentication.py",
        old="if not who.scope.includes(needed):",
        new="if needed is Scope.ADMIN and not who.scope.includes(needed):",
        tests=_TABLE,
        why="a key that may read may write",
    ),
    Mutation(
        file="query_api/guards/hosts.py",
        old='known = ("same-origin",) if by_cookie else',
        new='known = ("same-origin", "none") if by_cookie else',
        tests=_TABLE,
        why="a cookie is enough for a change that no page of ours asks for",
    ),
    Mutation(
        file="query_api/guards/idempotency.py",
        old='if who is None or who.actor.kind == "anyone" else',
        new="if who is None or who.actor.kind else",
        tests=_TABLE,
        why="a caller gets the response of another one by its Idempotency-Key",
    ),
    Mutation(
        file="query_api/guards/connection.py",
        old="while forwarded and is_one_of(address, proxies):",
        new="while forwarded:",
        tests=(f"{_KEYS}::test_guessing_is_limited_by_address",),
        why="a client chooses the address by which its guesses are limited",
    ),
    Mutation(
        file="query_api/pages/navigation.py",
        old='text.startswith(("//", "/\\\\"))',
        new='text.startswith("//")',
        tests=(f"{_KEYS}::test_a_browser_logs_in_and_out",),
        why="the login page leads to another site",
    ),
    Mutation(
        file="headwater/store/access/keys.sql",
        old="SELECT EXISTS (SELECT FROM api_keys) AS has_any",
        new="SELECT EXISTS (SELECT FROM api_keys WHERE revoked_at IS NULL) AS has_any",
        tests=(f"{_KEYS}::test_no_key_is_needed_until_there_is_one",),
        why="revoking the last key opens everything",
    ),
    Mutation(
        file="headwater/store/access/keys.sql",
        old="WHERE a.id = %(id)s AND a.revoked_at IS NULL AND (a.expires_at",
        new="WHERE a.id = %(id)s AND (a.expires_at",
        tests=(f"{_KEYS}::test_keys_are_made_listed_rotated_and_revoked_by_command",),
        why="a revoked key can still be used",
    ),
    Mutation(
        file="headwater/store/access/sessions.sql",
        old="AND (s.secret_hash = a.secret_hash OR s.secret_hash",
        new="AND (true OR s.secret_hash",
        tests=(f"{_KEYS}::test_a_session_ends_with_its_key",),
        why="whoever logged in with a stolen secret stays after it was replaced",
    ),
    Mutation(
        file="headwater/store/access/rate_limits.sql",
        old="WHERE greatest(r.tat, clock_timestamp()) + %(step)s <=",
        new="WHERE greatest(r.tat, clock_timestamp()) <=",
        tests=(f"{_KEYS}::test_no_more_requests_pass_than_the_limit_allows",),
        why="one request more than the limit passes",
    ),
    Mutation(
        file="query_api/server/gunicorn_worker.py",
        old="if connection.arriving.needs_leave:",
        new="if connection.arriving.needs_leave and not connection.arriving.is_upload:",
        tests=(f"{_DOORS}::test_no_body_is_awaited_from_who_may_not_send_it",),
        why="whoever has no key writes files to the disk",
    ),
    Mutation(
        file="query_api/guards/admission.py",
        old="if of_key >= MAX_UPLOADS_OF_KEY:",
        new="if of_key >= MAX_UPLOADS:",
        tests=(f"{_DOORS}::test_no_key_and_no_address_takes_every_place",),
        why="one key keeps everybody else from uploading",
    ),
    Mutation(
        file="query_api/guards/authentication.py",
        old=" and not find_forwarding_headers(request.environ):",
        new=":",
        tests=(f"{_DOORS}::test_whom_a_proxy_forwards_is_nobody_while_there_is_no_key",),
        why="behind a proxy of this machine, everybody is an administrator until there is a key",
    ),
    Mutation(
        file="headwater/domain/access.py",
        old='return f"key:{self.key_id}" if self.key_id is not None else f"{self.actor.kind}:{self.actor.id}"',
        new='return f"{self.actor.kind}:{self.actor.id}"',
        tests=(f"{_WAYS}::test_more_log_ins_ask_no_more",),
        why="each log-in has the limit of its key again",
    ),
    Mutation(
        file="headwater/store/access/restored.py",
        old='        if "api_keys" in tables:',
        new='        if "api_key" in tables:',
        tests=("tests/probe/test_restored_access.py",),
        why="a restore gives revoked keys back",
    ),
    Mutation(
        file="headwater/generation/prompt_messages.py",
        old='_NUMBERED.sub(r"\\1(\\2)", without_invisible(text))',
        new='_NUMBERED.sub(r"\\1(\\2)", text)',
        tests=(f"{_WAYS}::test_a_mark_that_is_split_by_what_nobody_sees_is_still_found",),
        why="a document hides the mark of a new role from our check, not from the model",
    ),
    Mutation(
        file="cli/processes/model_proxy.py",
        old='if not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):',
        new='if b"authorization" not in headers:',
        tests=("tests/probe/test_models_serve.py",),
        why="any key opens the model",
    ),
    Mutation(
        file="cli/processes/session_guard.py",
        old=" and not select_forwarding_names(headers)",
        new="",
        tests=("tests/probe/test_dagster_ui.py::test_whom_a_proxy_forwards_gets_nothing_while_there_is_no_key",),
        why="behind a proxy of this machine, everybody runs jobs until there is a key",
    ),
    Mutation(
        file="cli/processes/session_guard.py",
        old="if who is not None and who.scope is Scope.ADMIN and who.visible is None:",
        new="if who is not None and who.visible is None:",
        tests=(f"{_KEYS}::test_sessions_of_dagsters_ui_are_those_of_the_pages",),
        why="a reader starts runs and deletes assets in the Dagster UI",
    ),
)
