"""The command `add`.

Belongs here: its arguments, and what it says. Not here: guessing, creating
(`headwater.administration.sources`). Guarantee: as in `cli.main`; an address that is there already is said and
is no failure.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.output import emit, json_option, note, reports_errors

if TYPE_CHECKING:
    from cli.environment import Environment
    from headwater.administration.sources import NewAddress


@click.command()
@click.argument("knowledge_base")
@click.argument("addresses", nargs=-1, metavar="URL-OR-PATH...")
@click.option("--kind", help="The kind of source, instead of the guessed one; see docs/sources.md.")
@click.option("--slug", help="A name for the source, instead of one from the address.")
@click.option("--set", "fields", multiple=True, metavar="FIELD=VALUE", help="A field of its kind; may be repeated.")
@click.option("--embedding-model", help="The model of the knowledge base's vectors, as docs/models.md names it.")
@json_option
@reports_errors
def add(
    knowledge_base: str, addresses: tuple[str, ...], kind: str | None, slug: str | None, fields: tuple[str, ...],
    embedding_model: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Add folders, files, repositories or websites to a knowledge base, which is created if it does not exist."""
    from headwater.administration.sources import NewAddress

    if not addresses:
        raise click.UsageError(_missing_address_message(knowledge_base))
    if slug and len(addresses) > 1:
        raise click.UsageError("--slug names one source. Give one address, or leave it out.")
    field_values = dict(_field(text) for text in fields)
    outcome = _add_addresses(
        knowledge_base,
        [NewAddress(text=text, kind=kind, slug=slug, fields=field_values, base=Path.cwd()) for text in addresses],
        embedding_model,
    )
    emit(outcome, as_json=as_json, text=_text(outcome))
    for problem in outcome["failed"]:
        note(f"Error: {problem['message']}")
    if outcome["failed"]:
        sys.exit(1)


def _missing_address_message(word: str) -> str:
    """What to do if only one word was typed, which is often the address."""
    if "://" in word or "/" in word or Path(word).exists():
        return f"Name the knowledge base first, such as: headwater add NAME {word}"
    return f"What shall be added to {word}? headwater add {word} URL-OR-PATH"


def _field(text: str) -> tuple[str, Any]:
    """A field and its value, which is written as in a knowledge base file."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.UsageError(f"--set {text}: write FIELD=VALUE, such as --set 'include=[*.pdf]'.")
    if value.startswith("[") and value.endswith("]"):  # patterns begin with *, which means something else in YAML
        return name.strip(), [item.strip().strip("'\"") for item in value[1:-1].split(",") if item.strip()]
    import yaml

    try:
        return name.strip(), yaml.safe_load(value)
    except yaml.YAMLError:
        return name.strip(), value


def _add_addresses(knowledge_base: str, new: "list[NewAddress]", embedding_model: str | None) -> dict[str, Any]:
    """Add each address; one that cannot be added does not affect the others."""
    from cli.environment import environment
    from headwater.administration.sources import add_address, ensure_knowledge_base, guess_address
    from headwater.errors import AlreadyExistsError, HeadwaterError

    result: dict[str, Any] = {"knowledge_base": knowledge_base, "created": False,
                              "added": [], "present": [], "failed": []}  # fmt: skip
    with environment() as env:
        for new_address in new:
            try:
                guess_address(env.settings, new_address)  # a wrong address creates no knowledge base
                is_new = ensure_knowledge_base(env.store, knowledge_base, embedding_model=embedding_model)
                result["created"] = is_new or result["created"]
                added = add_address(env.settings, env.store, knowledge_base, new_address)
            except HeadwaterError as error:
                name = "present" if isinstance(error, AlreadyExistsError) and new_address.slug is None else "failed"
                result[name].append({"address": new_address.text, "code": error.code, "message": str(error)})
                continue
            source = added.source
            result["added"].append({
                "address": new_address.text, "slug": source.slug, "kind": source.kind, "config": dict(source.config),
                "guess": added.words, "other_kinds": list(added.others),
                "unknown_language": _unknown_language(env, knowledge_base, new_address),
            })  # fmt: skip
    return result


def _unknown_language(env: "Environment", knowledge_base: str, new: "NewAddress") -> str:
    """The language of most of a path's files, if the knowledge base's embedding model does not know it."""
    from headwater.administration.language_advice import unknown_language
    from headwater.sources.guesses import Address

    path = Address.of(new.text, new.base).path
    return "" if path is None else unknown_language(env.settings, env.store.knowledge_bases.get(knowledge_base), path)


def _text(outcome: dict[str, Any]) -> str:
    slug = outcome["knowledge_base"]
    lines = [f"Created the knowledge base {slug}."] if outcome["created"] else []
    for entry in outcome["added"]:
        fields = ", ".join(f"{name}: {_to_yaml_value(value)}" for name, value in entry["config"].items())
        lines += [f"Added {entry['slug']}: {entry['guess']} (kind {entry['kind']}; {fields}).", _advice(slug, entry)]
        lines += _propose_model(slug, entry)
    lines += [problem["message"] for problem in outcome["present"]]
    if outcome["added"] or outcome["present"]:
        lines += ["Next:", f"  headwater sync {slug}", f'  headwater ask {slug} "your question"']
    return "\n".join(lines)


def _advice(slug: str, entry: dict[str, Any]) -> str:
    other_kinds = f" --kind {'|'.join(entry['other_kinds'])}" if entry["other_kinds"] else " --kind KIND"
    return (
        f"Not what you meant? headwater delete {slug} {entry['slug']}, then headwater add {slug}"
        f" {entry['address']}{other_kinds} or --set FIELD=VALUE."
    )


def _propose_model(slug: str, entry: dict[str, Any]) -> list[str]:
    """The command that sets a model which knows the documents' language."""
    if not entry["unknown_language"]:
        return []
    from headwater.domain.languages import language_name
    from headwater.models_gateway.embedder_registry import MULTILINGUAL

    language = language_name(entry["unknown_language"])
    return [
        f"Most of its files are in {language}, which the embedding model of {slug} does not know.",
        "Search would compare only their words. This model knows it; docs/models.md says how to install it:",
        f"  headwater add {slug} {entry['address']} --embedding-model {MULTILINGUAL[0]}",
    ]


def _to_yaml_value(value: object) -> str:
    """A value as in a knowledge base file."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_to_yaml_value(member)}" for name, member in value.items()) + "}"
    return f"[{', '.join(map(_to_yaml_value, value))}]" if isinstance(value, list | tuple) else str(value)
