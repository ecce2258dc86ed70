-- Notifications, and what the Validation Dashboard is read from.

-- What people are to be told and were not yet: one row however many they are, in the transaction that makes it true. A
-- moment later it is delivered to each of them and gone.
create table notices (
  id              uuid primary key,
  audience        jsonb not null,
  type            text not null,
  severity        text not null check (severity in ('critical', 'high', 'medium', 'low')),
  title           text not null,
  message         text not null,
  action_required boolean not null,
  metadata        jsonb not null,
  link            text,
  -- Told again while it is unread, it takes the place of what was told before.
  dedupe_key      text,
  -- {key, title, subject}: what is told in one with others like it.
  fold            jsonb,
  created_at      timestamptz(3) not null
);

create table notifications (
  id              uuid primary key,
  user_id         uuid not null references users,
  type            text not null,
  severity        text not null check (severity in ('critical', 'high', 'medium', 'low')),
  title           text not null,
  message         text not null,
  action_required boolean not null,
  metadata        jsonb not null,
  link            text,
  key             text,
  -- What was told in one: how many, and the first of them by name.
  subjects        jsonb,
  read_at         timestamptz,
  created_at      timestamptz(3) not null
);
create index notifications_by_user on notifications (user_id, created_at desc, id desc);
create unique index notifications_unread on notifications (user_id, key) where key is not null and read_at is null;

-- How everything in a safe stands, counted from the index alone.
create index credentials_of_safes_by_state on credentials (safe_id, verification_status)
  include (last_verification_attempt, id) where deleted_at is null and safe_id is not null;
-- What fails, latest first.
create index credentials_failing_by_age on credentials (last_verification_attempt desc, id desc)
  where deleted_at is null and verification_status = 'failed';

-- Attempts by age, with what the figures of the last day are made of.
drop index verification_attempts_by_age;
create index verification_attempts_by_age on verification_attempts (started_at desc, id desc)
  include (credential_id, outcome, duration_ms);
create index verification_attempts_failed on verification_attempts (started_at desc, id desc)
  where outcome in ('rejected', 'unreachable', 'misconfigured');

-- What was tried on each day that is over (UTC), by whose it was then: the trend does not read every attempt again.
create table validation_days (
  day         date not null,
  -- Of an account; null: of a person's own.
  safe_id     uuid references safes,
  user_id     uuid references users,
  system_type text not null,
  attempts    integer not null,
  successes   integer not null,
  duration_ms bigint not null,
  check (num_nonnulls(safe_id, user_id) = 1)
);
create index validation_days_by_day on validation_days (day, safe_id);
-- Through which day that is done.
create table validation_days_done (through date primary key);
