"""Files of code on their way through a sync (CHK-1, CHK-5)."""

import json
from collections.abc import Callable

from headwater.domain.source_settings import SourceSettings
from tests.support import Headwater


def function(name: str, word: str) -> str:
    body = "".join(f"    level_{number} = measure('{word} {number}')\n" for number in range(12))
    return f"def {name}(pump: Pump) -> int:\n{body}    return level_0\n\n\n"


def write(kb: Headwater, text: str) -> None:
    kb.write("pumps.jsonl", json.dumps({"uri": "src/pumps.py", "title": "src/pumps.py", "text": text}))


def test_code_is_cut_at_functions_and_an_edit_embeds_one(headwater: Callable[..., Headwater]) -> None:
    """A jsonl source may say that its texts are code; each function is a chunk under its signature."""
    kb = headwater()
    config = {"path": str(kb.folder / "docs" / "pumps.jsonl"), "media_type": "text/x-python"}
    kb.store.sources.update(kb.source(), kind="jsonl", config=config, settings=SourceSettings())
    names = ("alpha", "beta", "gamma")
    write(kb, "".join(function(name, "river") for name in names))
    assert kb.sync()["docs"].chunks == 3
    rows = kb.query(
        "SELECT c.kind, c.prose, vc.breadcrumb FROM version_chunks vc JOIN chunks c ON c.id = vc.chunk_id"
        " ORDER BY vc.start_offset"
    )
    assert [row["breadcrumb"] for row in rows] == [["src/pumps.py", f"def {name}(pump: Pump) -> int"] for name in names]
    assert {(row["kind"], row["prose"]) for row in rows} == {("code", None)}
    before = kb.chunk_ids()
    write(kb, "".join(function(name, "lake" if name == "beta" else "river") for name in names))
    assert kb.sync()["docs"].embedded == 1
    assert len(set(kb.chunk_ids()) - set(before)) == 1
