-- Conversations that stay at the top of the list.
ALTER TABLE conversations ADD COLUMN pinned_at timestamptz;
