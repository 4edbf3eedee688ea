"""The scope that each route needs (API-6).

Belongs here: one row for each endpoint. Not here: who a caller is (`authentication`), which knowledge bases a caller
may see (`visibility`). Guarantee: a route without a row needs the highest scope.
"""

from collections.abc import Mapping
from types import MappingProxyType

from headwater.domain.access import Scope

_OF_VISITORS = ("ask", "begin", "cancel", "follow", "get_settings", "put_feedback", "search")
_OF_WIDGET_PAGES = ("change", "confirm_deletion", "create", "show_widget", "show_widgets")

SCOPES: Mapping[str, Scope] = MappingProxyType(
    {
        "access_page.change": Scope.ADMIN,
        "access_page.show_audit": Scope.ADMIN,
        "access_page.show_keys": Scope.ADMIN,
        "answers.cancel_answer": Scope.READ,  # of what the same key asked: `running_answers`
        "answers.create_answer": Scope.READ,
        "answers.get_answer": Scope.READ,
        "answers.get_answer_events": Scope.READ,
        "answers.get_answer_lineage": Scope.READ,
        "answers.get_usage": Scope.READ,
        "answers.list_answers": Scope.READ,
        "bots_page.change": Scope.ADMIN,
        "bots_page.show_bots": Scope.ADMIN,
        "chat_page.ask_first": Scope.READ,
        "chat_page.ask_next": Scope.READ,
        "chat_page.get_events": Scope.READ,
        "chat_page.show_candidates": Scope.READ,
        "chat_page.show_conversation": Scope.READ,
        "chat_page.show_new": Scope.READ,
        "chat_page.show_shared": Scope.OPEN,  # who has the link may read the conversation
        "chat_page.show_turn": Scope.READ,
        "audit.list_audit": Scope.ADMIN,
        "bots.change_event": Scope.BOT,  # events hold the questions of people
        "bots.claim_event": Scope.BOT,
        "bots.create_test_message": Scope.ADMIN,
        "bots.delete_channel": Scope.ADMIN,
        "bots.get_event": Scope.BOT,
        "bots.list_channels": Scope.BOT,
        "bots.put_one_channel": Scope.ADMIN,
        "bots.take_events": Scope.BOT,
        "contents_page.show_contents": Scope.READ,
        "contents_page.show_summary": Scope.READ,
        "conversations.change_conversation": Scope.READ,  # it belongs to whoever asks in it
        "conversations.create_conversation": Scope.READ,
        "conversations.delete_one_conversation": Scope.READ,
        "conversations.export_conversation": Scope.READ,
        "conversations.get_conversation": Scope.READ,
        "conversations.list_conversations": Scope.READ,
        "conversations.share": Scope.WRITE,  # who has the link needs no key
        "conversations.unshare": Scope.WRITE,
        "deletions.get_deletion": Scope.ADMIN,
        "deletions.list_deletions": Scope.ADMIN,
        "documentation_page.show_documentation": Scope.READ,
        "documents_page.show_document": Scope.READ,
        "documents_page.show_documents": Scope.READ,
        "documents.get_chunk": Scope.READ,
        "documents.get_chunk_lineage": Scope.READ,
        "documents.get_document": Scope.READ,
        "documents.get_version": Scope.READ,
        "documents.list_versions": Scope.READ,
        "evaluations.add_golden_question": Scope.WRITE,
        "evaluations.create_comparison": Scope.WRITE,
        "evaluations.create_evaluation": Scope.WRITE,
        "evaluations.create_golden_questions": Scope.WRITE,
        "evaluations.create_promotion": Scope.WRITE,
        "evaluations.create_tuning": Scope.ADMIN,  # it may change settings
        "evaluations.delete_golden_question": Scope.WRITE,
        "evaluations.get_golden_questions": Scope.READ,
        "evaluations.list_evaluations": Scope.READ,
        "evaluations.put_golden_questions": Scope.WRITE,
        "exports.export_source": Scope.READ,
        "feedback.delete_feedback": Scope.READ,  # whoever reads an answer may judge it
        "feedback.export_feedback": Scope.WRITE,  # of every reader
        "feedback.get_feedback_statistics": Scope.WRITE,
        "feedback.list_feedback": Scope.WRITE,
        "feedback.put_feedback": Scope.READ,
        "health.live": Scope.OPEN,
        "health.ready": Scope.OPEN,
        "home_page.create": Scope.ADMIN,
        "home_page.open_knowledge_base": Scope.READ,
        "home_page.show_home": Scope.READ,
        "keys.create_key": Scope.ADMIN,
        "keys.get_key": Scope.ADMIN,
        "keys.list_keys": Scope.ADMIN,
        "keys.revoke_key": Scope.ADMIN,
        "keys.rotate_key": Scope.ADMIN,
        "knowledge_bases.change_knowledge_base": Scope.ADMIN,
        "knowledge_bases.create_knowledge_base": Scope.ADMIN,
        "knowledge_bases.delete_knowledge_base": Scope.ADMIN,
        "knowledge_bases.get_knowledge_base": Scope.READ,
        "knowledge_bases.list_knowledge_bases": Scope.READ,
        "knowledge_bases.search_knowledge_base": Scope.READ,
        "links.draw_links": Scope.READ,
        "links.draw_symbol": Scope.READ,
        "links.get_links": Scope.READ,
        "links.get_symbol": Scope.READ,
        "links.list_dead_links": Scope.READ,
        "login_page.log_in": Scope.OPEN,
        "login_page.log_out": Scope.OPEN,
        "login_page.show_login": Scope.OPEN,
        "lineage_page.show_lineage": Scope.READ,
        "mcp.handle_message": Scope.READ,  # every tool only reads
        "metrics.get_metrics": Scope.ADMIN,  # also with a token of its own
        "openai.create_chat_completion": Scope.READ,
        "openai.create_context": Scope.READ,
        "openai.get_model": Scope.READ,
        "openai.list_models": Scope.READ,
        "passage_page.show_passage": Scope.READ,
        "openapi.doc_url": Scope.OPEN,
        "openapi.openapi": Scope.OPEN,
        "openapi.static": Scope.OPEN,
        "originals.get_original": Scope.READ,
        "questions.list_questions": Scope.READ,
        "search_indexes.list_search_indexes": Scope.READ,
        "search_indexes.roll_back_search_index": Scope.ADMIN,
        "search_indexes.switch_search_index": Scope.ADMIN,
        "search_page.make_golden": Scope.WRITE,
        "search_page.show_search": Scope.READ,
        "settings_page.change": Scope.ADMIN,
        "settings_page.confirm_deletion": Scope.ADMIN,
        "settings_page.show_settings": Scope.ADMIN,
        "sources.change_source": Scope.ADMIN,
        "sources.create_source": Scope.ADMIN,
        "sources.delete_source": Scope.ADMIN,
        "sources.get_source": Scope.READ,
        "sources.list_sources": Scope.READ,
        "new_source_page.create_source": Scope.ADMIN,
        "new_source_page.show_form": Scope.ADMIN,
        "source_page.act": Scope.ADMIN,
        "source_page.confirm_deletion": Scope.ADMIN,
        "source_page.get_card": Scope.READ,
        "source_page.get_rows": Scope.READ,
        "source_page.show_source": Scope.READ,
        "source_page.show_sync": Scope.READ,
        "edit_source_page.change": Scope.ADMIN,
        "edit_source_page.show_form": Scope.ADMIN,
        "sources_page.add_source": Scope.ADMIN,
        "sources_page.get_events": Scope.READ,
        "sources_page.guess": Scope.ADMIN,  # it tells which local folders exist
        "sources_page.show_sources": Scope.READ,
        "static_files.get_file": Scope.OPEN,
        "static_files.get_icon": Scope.OPEN,
        "summary_trees.get_knowledge_base_tree": Scope.READ,
        "summary_trees.get_summary_estimate": Scope.READ,
        "summary_trees.draw_tree": Scope.READ,
        "summary_trees.get_node": Scope.READ,
        "summary_trees.get_node_lineage": Scope.READ,
        "status_page.show_status": Scope.READ,
        "summary_trees.get_tree": Scope.READ,
        "swagger.oauth2-redirect": Scope.OPEN,
        "swagger.static": Scope.OPEN,
        "swagger.swagger": Scope.OPEN,
        "syncs.cancel_sync": Scope.WRITE,
        "syncs.create_sync": Scope.WRITE,
        "syncs.get_sync": Scope.READ,
        "syncs.get_sync_events": Scope.READ,
        "syncs.list_syncs": Scope.READ,
        "uploads.delete_file": Scope.WRITE,
        "uploads.get_file": Scope.READ,
        "uploads.list_files": Scope.READ,
        "uploads.put_file": Scope.WRITE,
        **dict.fromkeys((f"widget.{act}" for act in _OF_VISITORS), Scope.OPEN),
        **dict.fromkeys((f"widget_script.get_{what}" for what in ("file", "script")), Scope.OPEN),
        **dict.fromkeys((f"widget_page.{act}" for act in _OF_WIDGET_PAGES), Scope.ADMIN),
        **dict.fromkeys((f"widgets.{act}_widget" for act in ("change", "create", "delete", "get")), Scope.ADMIN),
        "widgets.list_widgets": Scope.ADMIN,
    }
)
"""The scope of every endpoint; a test fails for a route without a row."""


def scope_of(endpoint: str) -> Scope:
    """The scope that a caller of an endpoint needs."""
    return SCOPES.get(endpoint, Scope.ADMIN)
