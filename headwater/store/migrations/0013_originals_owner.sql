-- A file store says whose it is by the id that one database keeps here.

CREATE TABLE originals_owner (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    id      uuid NOT NULL DEFAULT gen_random_uuid()
);
