"""The places of uploads: whose share is used up (API-6, SEC-1)."""

import pytest

from query_api.guards.admission import MAX_UPLOADS, MAX_UPLOADS_OF_ADDRESS, MAX_UPLOADS_OF_KEY, Admission, refuse_place


def of(key: str | None, address: str) -> Admission:
    """An upload that was let in."""
    admission = Admission()
    admission.grant(key, address)
    return admission


@pytest.mark.parametrize(
    ("mine", "there", "says"),
    [
        (of("a", "1"), [], None),
        (of("a", "1"), [of("a", "2")] * (MAX_UPLOADS_OF_KEY - 1), None),
        (of("a", "1"), [of("a", "2")] * MAX_UPLOADS_OF_KEY, "with this key"),
        (of("b", "1"), [of("a", "2")] * MAX_UPLOADS_OF_KEY, None),
        (of(None, "1"), [of(None, "2")] * MAX_UPLOADS_OF_ADDRESS, None),
        (of(None, "1"), [of(None, "1")] * MAX_UPLOADS_OF_ADDRESS, "from this address"),
        (of("a", "1"), [of("b", "1")] * MAX_UPLOADS_OF_ADDRESS, "from this address"),
        (of("a", "1"), [of(str(n), str(n)) for n in range(2, MAX_UPLOADS + 2)], f"{MAX_UPLOADS} uploads are"),
        (of("a", "1"), [of(str(n), str(n)) for n in range(2, MAX_UPLOADS + 1)], None),
    ],
)
def test_a_share_that_is_used_up_is_told(mine: Admission, there: list[Admission], says: str | None) -> None:
    """The sender's own first; without keys, senders share by address alone."""
    refusal = refuse_place(mine, there)
    if says is None:
        assert refusal is None
    else:
        assert refusal is not None
        assert (refusal.status, refusal.code, says in refusal.detail) == (429, "TOO_MANY_UPLOADS", True)
