"""What a sync counts across an outage of the database, or the loss of a worker."""

from headwater.store.work.workers import SyncCounts


def test_documents_that_an_outage_kept_are_counted_once() -> None:
    """They are found unchanged, and were added or changed by this sync."""
    counts = SyncCounts(added=400, changed=10, read=410).to_carry_over()
    counts.added += 190
    counts.unchanged += 410
    assert (counts.added, counts.changed, counts.unchanged) == (590, 10, 0)


def test_documents_are_counted_once_across_two_outages() -> None:
    """The second one came before anything was read again."""
    counts = SyncCounts(added=400, changed=10, read=410).to_carry_over().to_carry_over()
    counts.unchanged += 410
    assert (counts.added, counts.changed, counts.unchanged) == (400, 10, 0)
