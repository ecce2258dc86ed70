-- The list of attempts sorted by name, result or duration reads a page from an index, instead of sorting all attempts of the
-- chosen days. The expressions are those of `attempt-order.ts`.
create index verification_attempts_by_name on verification_attempts (lower(credential_name) collate "C", id);
create index verification_attempts_by_result on verification_attempts ((coalesce(outcome, '') collate "C"), id);
create index verification_attempts_by_duration
  on verification_attempts ((lpad((coalesce(duration_ms, -1) + 1)::text, 10, '0') collate "C"), id);
