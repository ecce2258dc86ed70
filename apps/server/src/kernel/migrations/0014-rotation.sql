-- Rotation: the journal of changing stored secrets on their systems.

-- A rotation that nobody asked for stores a secret in nobody's name.
alter table secret_versions alter column created_by drop not null;
-- Made up for a rotation, and not proved to be the one in force. INVARIANT: never deleted while the credential lives.
alter table secret_versions add column is_candidate boolean not null default false;

-- The oldest version that may be sent to where the login goes now: who replaced the secret and the address together has not
-- shown that the earlier ones may go there.
alter table credentials add column sendable_from integer not null default 1;

alter table platforms add column rotate_automatically boolean not null default true;
-- Hours of the day, UTC; null: at any time.
alter table platforms add column rotation_window jsonb;
alter table platforms add column rotation_jitter_minutes integer not null default 60;
alter table platforms add column rotate_as text not null default 'account' check (rotate_as in ('account', 'reconcile-account'));
-- Where the reconcile account may log in beside its own host.
alter table platforms add column reconcile_hosts jsonb not null default '[]';
-- The safes on whose accounts it acts, beside its own.
alter table platforms add column reconcile_safe_ids jsonb not null default '[]';
-- What the last check of the reconcile account said.
alter table platforms add column reconcile_is_ready boolean;
alter table platforms add column reconcile_message text;
alter table platforms add column reconcile_checked_at timestamptz;

-- Nothing could change it when the schedule looked: it is looked at again from then on.
alter table accounts add column rotation_skipped_until timestamptz;

create table rotation_runs (
  id           uuid primary key,
  user_id      uuid not null references users,
  status       text not null default 'running' check (status in ('running', 'completed', 'cancelled')),
  total        integer not null,
  done         integer not null default 0,
  rotated      integer not null default 0,
  failed       integer not null default 0,
  started_at   timestamptz not null,
  completed_at timestamptz
) with (fillfactor = 80);
create index rotation_runs_by_owner on rotation_runs (user_id, started_at desc);

-- The head of a rotation's journal: where it stands. At most one of a credential is open.
create table rotations (
  id              uuid primary key,
  credential_id   uuid not null references credentials,
  -- Of a person's credential; null: of an account.
  user_id         uuid references users,
  credential_name text not null,
  because         text not null check (because in ('asked', 'bulk', 'scheduled', 'check-in', 'one-time', 'grant-ended')),
  -- {id, name}; null: nobody asked.
  asked_by        jsonb,
  run_id          uuid references rotation_runs,
  -- The run has counted it.
  is_counted      boolean not null default false,
  -- The machine that logins go to, so that no more than a few go to one at a time; null: not known.
  target          text,
  step            text not null default 'planned'
                  check (step in ('planned', 'stored', 'sent', 'answered', 'doubtful', 'promoted', 'ended')),
  -- What it changes: a password that we make up, a key pair, or a secret that the target makes; null: not looked at yet.
  kind            text check (kind in ('password', 'key', 'issued')),
  -- What rotation.policy.ts knows beside the step.
  journal         jsonb not null,
  outcome         text check (outcome in ('rotated', 'cancelled', 'superseded')),
  -- Set: the engine has stopped until a person does something.
  needs_attention boolean not null default false,
  code            text,
  message         text not null,
  tries           integer not null default 0,
  -- When a worker takes it up; null: it waits for a person, or has ended.
  next_at         timestamptz,
  -- Who works on it, and until when that counts. A worker writes only as long as the token is its own.
  lease_token     uuid,
  lease_until     timestamptz,
  started_at      timestamptz(3) not null,
  ended_at        timestamptz,
  check ((step = 'ended') = (outcome is not null)),
  check ((step = 'ended') = (ended_at is not null))
) with (fillfactor = 70);
create unique index rotations_open on rotations (credential_id) where step <> 'ended';
create index rotations_due on rotations (next_at) where next_at is not null;
create index rotations_leased on rotations (target) where lease_until is not null;
create index rotations_by_credential on rotations (credential_id, started_at desc, id desc);
create index rotations_attention on rotations (started_at) where needs_attention;
create index rotations_by_run on rotations (run_id) where run_id is not null;

-- The journal: one row for each thing that was about to happen, or had happened. Rows are added and never changed.
create table rotation_lines (
  rotation_id uuid not null references rotations,
  number      integer not null,
  step        text not null,
  message     text not null,
  at          timestamptz not null,
  primary key (rotation_id, number)
);

alter table verification_attempts drop constraint verification_attempts_trigger_check;
alter table verification_attempts add constraint verification_attempts_trigger_check
  check (trigger in ('manual', 'first', 'bulk', 'scheduled', 'rotation'));

create table account_dependents (
  id             uuid primary key,
  account_id     uuid not null references accounts,
  name           text not null,
  config         jsonb not null,
  -- Who answers for it: it is brought up to date as long as this person may have the secrets that it takes.
  added_by       uuid not null references users,
  -- Of a webhook: the sealed key that its calls are signed with.
  signing_key    bytea,
  -- The version of the secret that it has; null: none of ours.
  version        integer,
  state          text not null default 'pending' check (state in ('current', 'pending', 'waiting', 'attention')),
  message        text,
  tries          integer not null default 0,
  next_at        timestamptz,
  lease_token    uuid,
  lease_until    timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz
);
create index account_dependents_by_account on account_dependents (account_id, created_at);
create index account_dependents_due on account_dependents (next_at) where next_at is not null;
