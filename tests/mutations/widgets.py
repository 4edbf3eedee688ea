"""Mutations of the widget: who may use it, what visitors reach, what it may spend.

Belongs here: guards of `/widget/v1/`. Not here: keys and sessions of other callers (`access`).
"""

from tests.mutations.mutation import Mutation

_HTTP = "tests/integration/test_widgets.py"
_BUDGET = "tests/integration/test_widget_budget.py"

WIDGETS = (
    Mutation(
        file="headwater/administration/visitors.py",
        old="if not (is_ours or is_allowed(origin, widget.settings.origins)):",
        new="if not (is_ours or is_allowed(origin, widget.settings.origins) or widget):",
        tests=(f"{_HTTP}::test_only_listed_origins_get_a_session",),
        why="every site spends the budget of a widget",
    ),
    Mutation(
        file="headwater/administration/visitors.py",
        old='is_own = isinstance(values, dict) and values.get("origin") == origin',
        new="is_own = isinstance(values, dict)",
        tests=(f"{_HTTP}::test_a_token_is_worth_something_here_alone",),
        why="a token of one site is worth something on another",
    ),
    Mutation(
        file="query_api/widget/page_admission.py",
        old="return is_own and _is_our_name()",
        new="return is_own",
        tests=(f"{_HTTP}::test_only_listed_origins_get_a_session",),
        why="a page at a name that an attacker points here counts as ours",
    ),
    Mutation(
        file="headwater/answering/visitor_questions.py",
        old="for source in store.sources.names(knowledge_base) if PRIVATE not in source.tags]",
        new="for source in store.sources.names(knowledge_base)]",
        tests=(f"{_HTTP}::test_private_sources_are_never_served",),
        why="visitors are answered from private sources",
    ),
    Mutation(
        file="headwater/store/work/widget_questions.sql",
        old="WHERE id = %(id)s AND widget_id = %(widget_id)s AND visitor = %(visitor)s;",
        new="WHERE id = %(id)s AND widget_id = %(widget_id)s AND %(visitor)s IS NOT NULL;",
        tests=(f"{_HTTP}::test_a_visitor_has_only_their_own_answers",),
        why="a visitor reads the answers of others",
    ),
    Mutation(
        file="headwater/store/work/widget_questions.sql",
        old="WHERE d.questions < %(most_questions)s AND d.cost < %(most_cost)s",
        new="WHERE d.questions <= %(most_questions)s AND d.cost < %(most_cost)s",
        tests=(f"{_BUDGET}::test_the_budget_is_exact_for_many_visitors_at_once",),
        why="one question more than the budget is answered",
    ),
)
