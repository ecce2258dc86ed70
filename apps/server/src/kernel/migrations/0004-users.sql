-- People who sign in, their sessions, and what slows down those who guess.

create table users (
  id                uuid primary key,
  -- Lower case.
  email             text not null unique,
  name              text not null,
  role              text not null check (role in ('user', 'manager', 'admin')),
  -- Asked for at sign-up and not decided yet.
  requested_role    text check (requested_role in ('manager', 'admin')),
  status            text not null default 'active' check (status in ('active', 'disabled')),
  -- argon2id as a PHC string.
  password_hash     text not null,
  created_at        timestamptz not null,
  last_signed_in_at timestamptz
);

create table sign_in_policy (
  is_only                    boolean primary key default true check (is_only),
  timeout_minutes            integer not null default 30 check (timeout_minutes between 5 and 1440),
  warning_minutes            integer not null default 5 check (warning_minutes between 1 and 60),
  privileged_timeout_minutes integer not null default 15 check (privileged_timeout_minutes between 5 and 1440),
  session_hours              integer not null default 12 check (session_hours between 1 and 12),
  remembered_days            integer not null default 30 check (remembered_days between 1 and 30),
  sign_up_open               boolean not null default true,
  check (warning_minutes < timeout_minutes)
);
insert into sign_in_policy default values;

-- The token of the one-time setup link, as SHA-256, until the first user exists.
create table sign_in_setup (
  is_only    boolean primary key default true check (is_only),
  token_hash bytea not null
);

-- Ed25519 private keys, each sealed under the KEK of "token-signing"; the public half is derived from what opens.
create table sign_in_signing_keys (
  id         uuid primary key,
  sealed     bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index sign_in_signing_keys_in_use on sign_in_signing_keys ((true)) where retired_at is null;

-- A row is an open session; ending one deletes it.
create table sign_in_sessions (
  id             uuid primary key,
  user_id        uuid not null references users,
  -- SHA-256 of the cookie that serves only the event stream.
  stream_hash    bytea not null unique,
  is_remembered  boolean not null,
  ip             text not null,
  agent          text,
  created_at     timestamptz not null,
  last_active_at timestamptz not null,
  expires_at     timestamptz not null
) with (fillfactor = 80);
create index sign_in_sessions_by_user on sign_in_sessions (user_id);

-- Networks from which a person has signed in before: guesses made elsewhere do not slow them down there.
create table sign_in_networks (
  user_id      uuid not null references users,
  network      text not null,
  signed_in_at timestamptz not null,
  primary key (user_id, network)
);

-- Failed attempts in a row, by account, by network, and by known pair of both. Addresses appear as fingerprints only:
-- people type passwords into the wrong field.
create table sign_in_attempts (
  key       text primary key,
  failures  integer not null,
  failed_at timestamptz not null,
  retry_at  timestamptz not null
) with (fillfactor = 80);

-- Password resets under way, one for each person. Without a token the request waits for the mail or an administrator.
create table sign_in_resets (
  user_id          uuid primary key references users,
  requested_at     timestamptz,
  mailed_at        timestamptz,
  token_hash       bytea unique,
  token_expires_at timestamptz,
  check ((token_hash is null) = (token_expires_at is null))
);
