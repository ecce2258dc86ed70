-- Verification: every attempt to log in with a stored secret, and the runs that try many.

create table verification_runs (
  id           uuid primary key,
  -- Whose credentials.
  user_id      uuid not null references users,
  scope        text not null check (scope in ('all', 'selected', 'scheduled')),
  status       text not null default 'running' check (status in ('running', 'completed', 'cancelled')),
  total        integer not null,
  done         integer not null default 0,
  verified     integer not null default 0,
  failed       integer not null default 0,
  -- Who asked for it; null: the schedule.
  requested_by jsonb,
  started_at   timestamptz not null,
  completed_at timestamptz
) with (fillfactor = 80);
create index verification_runs_by_owner on verification_runs (user_id, started_at desc);

-- What a run has still to do. A row is claimed by a worker for a while, and gone when its attempt is counted.
create table verification_run_items (
  run_id        uuid not null references verification_runs,
  -- No foreign key: checking a hundred thousand of them would write to as many rows of credentials.
  credential_id uuid not null,
  -- The machine that the login goes to, so that no more than a few go to one at a time; null: none.
  target        text,
  claimed_until timestamptz,
  primary key (run_id, credential_id)
);
create index verification_run_items_claimed on verification_run_items (target) where claimed_until is not null;

create table verification_attempts (
  id              uuid primary key,
  credential_id   uuid not null references credentials,
  user_id         uuid not null references users,
  -- The login revision that was tried.
  revision        integer not null,
  trigger         text not null check (trigger in ('manual', 'first', 'bulk', 'scheduled')),
  run_id          uuid references verification_runs,
  triggered_by    text not null,
  -- As they were when it was tried.
  credential_name text not null,
  type            text not null,
  host            text,
  username        text,
  method          text not null,
  started_at      timestamptz not null,
  -- Until then nobody else tries this credential; by then the attempt has ended, or its process has.
  lease_until     timestamptz not null,
  finished_at     timestamptz,
  outcome         text check (outcome in ('verified', 'rejected', 'unreachable', 'misconfigured', 'unsupported')),
  code            text,
  message         text,
  duration_ms     integer,
  -- The credential had changed by the time the result came, so that it says nothing about what is stored now.
  is_outdated     boolean not null default false,
  check ((finished_at is null) = (outcome is null))
);
create unique index verification_attempts_under_way on verification_attempts (credential_id) where finished_at is null;
create index verification_attempts_by_owner on verification_attempts (user_id, started_at desc, id desc);
create index verification_attempts_by_age on verification_attempts (started_at);
create index verification_attempts_by_run on verification_attempts (run_id) where run_id is not null;
