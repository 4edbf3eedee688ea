-- name: put_outside_run
-- Note a run of somebody's Dagster, and what it found upstream of a source.
INSERT INTO outside_runs (run_id, source_id, dagster_url, upstream)
SELECT %(run_id)s, s.id, %(dagster_url)s, %(upstream)s FROM sources s WHERE s.id = %(source_id)s FOR KEY SHARE
ON CONFLICT (run_id, source_id) DO UPDATE SET dagster_url = excluded.dagster_url, upstream = excluded.upstream;

-- name: delete_outside_run
-- Forget a run that wrote nothing, nor did an earlier attempt of it.
DELETE FROM outside_runs r
 WHERE r.run_id = %(run_id)s AND r.source_id = %(source_id)s
   AND NOT EXISTS (SELECT FROM document_versions v JOIN documents d ON d.id = v.document_id
                    WHERE d.source_id = r.source_id AND v.run_id = r.run_id)
   AND NOT EXISTS (SELECT FROM chunks c JOIN documents d ON d.id = c.document_id
                    WHERE d.source_id = r.source_id AND c.run_id = r.run_id);

-- name: delete_old_outside_runs
-- Forget runs that began before a time and of which nothing is left.
DELETE FROM outside_runs r
 WHERE r.began_at < %(before)s
   AND NOT EXISTS (SELECT FROM document_versions v JOIN documents d ON d.id = v.document_id
                    WHERE d.source_id = r.source_id AND v.run_id = r.run_id)
   AND NOT EXISTS (SELECT FROM citations c WHERE c.source_id = r.source_id AND c.run_id = r.run_id);
