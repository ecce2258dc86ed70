-- Second factors, sign-ins that wait for one, and when a session's person last proved who they are.

alter table sign_in_sessions
  add column proved_at timestamptz,
  add column method    text not null default 'password';
update sign_in_sessions set proved_at = created_at;
alter table sign_in_sessions alter column proved_at set not null;

-- The first proof of a sign-in that waits for the second: no session, and gone after its first success, its fifth failure
-- or five minutes.
create table sign_in_pending (
  -- SHA-256 of the token that the browser holds.
  token_hash    bytea primary key,
  user_id       uuid not null references users,
  method        text not null,
  is_remembered boolean not null,
  tries         integer not null default 0,
  expires_at    timestamptz not null
);
create index sign_in_pending_by_user on sign_in_pending (user_id);

create table factors (
  id            uuid primary key,
  user_id       uuid not null references users,
  kind          text not null check (kind in ('totp', 'passkey')),
  name          text not null,
  -- The key of an authenticator app, sealed under the KEK of "second-factors"; opens for this row alone.
  sealed        bytea,
  -- The 30-second step of the last code that was taken: neither it nor an earlier one is taken again.
  last_step     bigint,
  -- WebAuthn: the credential's id (base64url), its COSE public key and its signature counter.
  credential_id text unique,
  public_key    bytea,
  counter       bigint,
  transports    text[],
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  check ((kind = 'totp') = (sealed is not null)),
  check ((kind = 'passkey') = (credential_id is not null and public_key is not null and counter is not null))
);
create index factors_by_user on factors (user_id);

-- Authenticator apps that were begun and have not answered yet: one for each person.
create table factor_enrolments (
  user_id    uuid primary key references users,
  factor_id  uuid not null,
  sealed     bytea not null,
  expires_at timestamptz not null
);

-- WebAuthn challenges: each for one purpose and one person (none yet where a passkey says who it is), used once.
create table factor_challenges (
  challenge  text primary key,
  purpose    text not null check (purpose in ('enrol', 'second-step', 'step-up', 'sign-in')),
  user_id    uuid references users,
  expires_at timestamptz not null
);
create index factor_challenges_by_user on factor_challenges (user_id);

-- SHA-256 of each code that is left; a code has 80 random bits, so guessing it from this is hopeless.
create table factor_recovery_codes (
  user_id   uuid not null references users,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);
