"""What the API loads in advance (ANS-3).

Belongs here: when it loads litellm. Not here: calling models (`test_chat_models`).
"""

import pytest

from headwater.administration.warm_up import warm_up
from headwater.models_gateway import litellm_client
from tests.chat_server import ChatServer
from tests.support import Headwater


@pytest.mark.synced(files={"pump.md": "# Pump\n\nThe pump lifts water.\n"})
def test_litellm_is_loaded_if_a_knowledge_base_uses_it(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes seconds and a hundred megabytes, which others should not pay."""
    loaded: list[bool] = []
    monkeypatch.setattr(litellm_client, "warm_up", lambda: loaded.append(True))
    assert not warm_up(kb.store)
    assert loaded == []
    kb.query("""UPDATE knowledge_bases SET settings = settings || '{"cheap_model": "openai/small"}' RETURNING 1""")
    assert warm_up(kb.store)
    assert loaded == [True]


def test_warming_up_sends_nothing(chat: ChatServer) -> None:
    """The call that makes litellm load the rest is answered by litellm itself."""
    litellm_client.warm_up()
    assert chat.requests == []
