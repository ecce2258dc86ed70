-- Credentials: secrets that belong to a person, with where and as whom they are used. No column of `credentials` is secret.

create table credentials (
  id                        uuid primary key,
  user_id                   uuid not null references users,
  name                      text not null,
  type                      text not null,
  username                  text,
  host                      text,
  port                      integer check (port between 1 and 65535),
  status                    text not null default 'pending'
                            check (status in ('pending', 'verified', 'failed', 'active', 'expired')),
  environment               text not null check (environment in ('development', 'staging', 'production')),
  database_name             text,
  schema_name               text,
  connection_string         text,
  ssl_enabled               boolean not null,
  additional_params         jsonb not null,

  -- Which of secret_versions is in force.
  secret_version            integer not null check (secret_version > 0),
  -- Counts changes of anything that a login depends on: the secret, the type, where and as whom it is used.
  login_revision            integer not null default 1,

  verification_status       text not null default 'pending' check (verification_status in ('verified', 'failed', 'pending')),
  verified_at               timestamptz,
  last_verification_attempt timestamptz,
  verification_error        text,
  -- The login revision that the target refused. While it is the one in force, nothing but a person tries again.
  rejected_revision         integer,
  -- The SSH host key that the first verification met, as {type, fingerprint}.
  host_key                  jsonb,
  -- Another key that was met instead of it: the alarm.
  offered_host_key          jsonb,
  -- When the schedule verifies it; null: never by itself.
  verify_after              timestamptz,
  -- When the secret itself ends to be valid, where that is known (certificates).
  expires_at                timestamptz,

  last_accessed_at          timestamptz,
  -- In milliseconds, because pages are cut by it.
  created_at                timestamptz(3) not null,
  updated_at                timestamptz not null,
  deleted_at                timestamptz,

  -- What lists are searched and filtered by; made by index-credential.ts.
  search_text               text not null,
  search_keys               integer[] not null
  -- Room in each page, so that noting a reveal touches no index (a heap-only update).
) with (fillfactor = 85);

create index credentials_by_age on credentials (user_id, created_at desc, id desc) where deleted_at is null;
-- Without fastupdate: a pending list would make every search pay for what was written before it.
create index credentials_by_search_key on credentials using gin (search_keys) with (fastupdate = off)
  where deleted_at is null;
create index credentials_by_verification on credentials (user_id, verification_status, last_verification_attempt)
  include (verified_at) where deleted_at is null;
create index credentials_by_expiry on credentials (user_id, expires_at)
  where deleted_at is null and expires_at is not null;
create index credentials_by_alarm on credentials (user_id) where deleted_at is null and offered_host_key is not null;
create index credentials_by_schedule on credentials (user_id, verify_after)
  where deleted_at is null and verify_after is not null;

-- Every secret a credential ever had, each sealed for its row and version alone. A deletion removes all of them.
create table secret_versions (
  credential_id uuid not null references credentials,
  version       integer not null check (version > 0),
  envelope      bytea not null,
  created_at    timestamptz not null,
  created_by    uuid not null references users,
  reason        text not null check (reason in ('created', 'edited')),
  -- When a later version took its place.
  retired_at    timestamptz,
  primary key (credential_id, version)
);
-- What is encrypted does not compress.
alter table secret_versions alter column envelope set storage external;
