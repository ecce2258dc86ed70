-- What the kernel itself keeps: settings, events on their way to browsers, long jobs, and answers to repeated requests.

create table settings (
  name       text primary key,
  value      jsonb not null,
  changed_at timestamptz not null default now()
);

-- The outbox. `transaction_id` gives events an order in which nothing can appear later in front of what was already
-- read: see events/outbox.ts.
create table events (
  transaction_id xid8 not null default pg_current_xact_id(),
  id             bigint not null generated always as identity,
  type           text not null,
  audience       jsonb not null,
  data           jsonb not null,
  occurred_at    timestamptz not null default clock_timestamp(),
  primary key (transaction_id, id)
);

-- Jobs that people watch: how far they are, and whether somebody asked them to stop. The queue itself is in schema jobs.
create table job_runs (
  id                  uuid primary key,
  name                text not null,
  state               text not null default 'queued'
                      check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  done                integer not null default 0 check (done >= 0),
  total               integer check (total >= 0),
  cancel_requested_at timestamptz,
  created_at          timestamptz not null default now(),
  started_at          timestamptz,
  ended_at            timestamptz
);
create index job_runs_by_age on job_runs (created_at);

-- A repeated request with the same Idempotency-Key gets the first one's answer. Replies that carry a secret are never
-- stored here.
create table idempotency_keys (
  owner       text not null,
  key         text not null,
  fingerprint bytea not null,
  status      smallint,
  reply       text,
  created_at  timestamptz not null default now(),
  primary key (owner, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
