-- API tokens, and the machine identities that act by them alone.

alter table users add column kind text not null default 'person' check (kind in ('person', 'machine'));
-- Nobody signs in as a machine identity.
alter table users add constraint users_machine_without_password check (kind = 'person' or password_hash = '');

create table tokens (
  id             uuid primary key,
  user_id        uuid not null references users,
  name           text not null,
  -- The first signs, for people who found one.
  begins         text not null,
  -- SHA-256 of the token, which has 256 random bits: there is nothing to guess.
  token_hash     bytea not null unique,
  scopes         text[] not null,
  -- Null: wherever its holder may go.
  safe_ids       uuid[],
  -- CIDR blocks; empty: from anywhere.
  networks       text[] not null,
  created_by     uuid not null references users,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  last_used_from text,
  -- When a use of it was last refused and recorded.
  refused_at     timestamptz
) with (fillfactor = 80);
create index tokens_by_user on tokens (user_id, id desc);

create table token_policy (
  is_only      boolean primary key default true check (is_only),
  person_days  integer not null default 90 check (person_days between 1 and 365),
  machine_days integer not null default 365 check (machine_days between 1 and 3650)
);
insert into token_policy default values;

-- What a machine identity has beside its row in `users`.
create table token_machines (
  user_id              uuid primary key references users,
  description          text,
  responsible_user_id  uuid references users,
  responsible_group_id uuid references groups on delete set null,
  check (num_nonnulls(responsible_user_id, responsible_group_id) <= 1)
);
create index token_machines_by_user on token_machines (responsible_user_id);
create index token_machines_by_group on token_machines (responsible_group_id);
