-- Requests that may be sent twice, runs that must not be started twice, and indexes for the figures.

-- Nothing was ever written to the first edition of this table.
drop table idempotency_keys;
-- A request with an Idempotency-Key that is under way (not done), was carried out (done), and how it was answered.
-- Replies that carry a secret are never stored here.
create table idempotency_keys (
  user_id     uuid not null references users,
  key         text not null,
  -- HMAC of method, address and body under a key of the vault: what was sent cannot be guessed from it.
  fingerprint text not null,
  -- Who carries it out. Another takes the place of one that has not come to an end in time.
  claim       uuid not null unique,
  is_done     boolean not null default false,
  reply       text,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (user_id, key),
  check (is_done or reply is null)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- One run over everything and one of the schedule at a time for each owner. Where two were started at once, the first
-- stays; nothing that they have still to do is lost, because it covers the same.
update verification_runs later set status = 'cancelled', completed_at = now()
where status = 'running' and scope <> 'selected' and exists (
  select from verification_runs earlier
  where earlier.user_id = later.user_id and earlier.scope = later.scope and earlier.status = 'running'
    and (earlier.started_at, earlier.id) < (later.started_at, later.id));
delete from verification_run_items item using verification_runs run
where run.id = item.run_id and run.status = 'cancelled' and item.claimed_until is null;
create unique index verification_runs_under_way on verification_runs (user_id, scope) nulls not distinct
  where status = 'running' and scope <> 'selected';

-- What needs a person, in the order in which it is shown; written to for failures only.
create index credentials_failing on credentials (user_id, (offered_host_key is not null) desc,
  (rejected_revision is not distinct from login_revision) desc, last_verification_attempt desc)
  where deleted_at is null and verification_status = 'failed';
