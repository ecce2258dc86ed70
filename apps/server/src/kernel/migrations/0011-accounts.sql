-- Platforms, and accounts: shared secrets that belong to a safe.

create table platforms (
  id                         uuid primary key,
  name                       text not null,
  description                text,
  system_type                text not null,
  connection_method          text not null,
  is_active                  boolean not null,
  verify_every_hours         integer,
  rotate_every_days          integer,
  rotation_notice_days       integer not null,
  password_rules             jsonb not null,
  reconcile_account_id       uuid,
  exclusive_check_out        boolean not null,
  rotate_after_check_in      boolean not null,
  one_time_password          boolean not null,
  approvals_level_1          integer not null check (approvals_level_1 >= 0),
  approvals_level_2          integer not null check (approvals_level_2 >= 0),
  approve_extensions         boolean not null,
  reason_required            boolean not null,
  ticket_required            boolean not null,
  default_duration_minutes   integer not null,
  max_duration_minutes       integer not null,
  session_recording_required boolean not null,
  created_at                 timestamptz not null,
  updated_at                 timestamptz not null,
  -- Accounts that were deleted still say of which platform they were.
  deleted_at                 timestamptz,
  check (default_duration_minutes <= max_duration_minutes),
  check (approvals_level_2 = 0 or approvals_level_1 > 0)
);
create unique index platforms_by_name on platforms (lower(name)) where deleted_at is null;

-- What an account shares with a person's credential, the stored secret, where it is used, and what is known of it, is a row
-- of `credentials` with the same id; one engine verifies and changes both. It belongs to a person or to a safe.
alter table credentials alter column user_id drop not null;
alter table credentials add column safe_id uuid references safes;
alter table credentials add constraint credentials_have_one_owner check (num_nonnulls(user_id, safe_id) = 1);
create index credentials_by_safe on credentials (safe_id, created_at desc, id desc) include (verification_status)
  where deleted_at is null and safe_id is not null;
create index credentials_of_safes_by_age on credentials (created_at desc, id desc) include (safe_id)
  where deleted_at is null and safe_id is not null;

create table accounts (
  id                uuid primary key references credentials,
  platform_id       uuid not null references platforms,
  system_type       text not null,
  connection_method text not null,
  account_type      text,
  notes             text,
  status            text not null check (status in ('active', 'disabled', 'pending')),
  -- When the secret in force was stored or changed.
  rotated_at        timestamptz not null,
  -- A change that is wanted before its time, and why ('check-in', 'one-time', 'grant-ended', 'asked'); the rotation clears it.
  rotation_wanted_at      timestamptz,
  rotation_wanted_because text,
  created_by        uuid not null references users,
  check ((rotation_wanted_at is null) = (rotation_wanted_because is null))
);
-- By platform, and by how long ago the secret was changed: what is due for a change.
create index accounts_by_platform on accounts (platform_id, rotated_at);
create index accounts_not_active on accounts (id) where status <> 'active';
create index accounts_by_system_type on accounts (system_type);
create index accounts_by_rotation_wish on accounts (rotation_wanted_at) where rotation_wanted_at is not null;

alter table platforms add foreign key (reconcile_account_id) references accounts;

-- Exclusive check-outs. A row is one in force; it counts for nothing once `until` has passed.
create table account_check_outs (
  account_id   uuid primary key references accounts,
  user_id      uuid not null references users,
  -- The grant that it belongs to; null: a member's own right.
  request_id   uuid,
  since        timestamptz not null,
  until        timestamptz not null,
  is_retrieved boolean not null default false
);
create index account_check_outs_by_end on account_check_outs (until);

alter table secret_versions drop constraint secret_versions_reason_check;
alter table secret_versions add check (reason in ('created', 'edited', 'rotated', 'reconciled', 'imported'));

-- Attempts on accounts have no person whose they are; who sees them is decided by the account's safe.
alter table verification_attempts alter column user_id drop not null;
create index verification_attempts_by_credential on verification_attempts (credential_id, started_at desc, id desc);

-- A platform to begin with for each kind of system: nothing demanded, nothing changed by itself.
insert into platforms
select gen_random_uuid(), name, null, system_type, connection_method, true, 24, null, 7,
  '{"length": 24, "max_length": 64, "min_lowercase": 1, "min_uppercase": 1, "min_digits": 1, "min_symbols": 1,
    "symbols": "!#%+-.:=@_~", "forbidden_characters": "", "begins_with_letter": true, "history": 5}'::jsonb,
  null, false, false, false, 0, 0, true, false, false, 60, 1440, false, now(), now(), null
from (values
  ('Windows', 'Windows', 'RDP'),
  ('Linux', 'Linux', 'SSH'),
  ('Unix/AIX', 'Unix/AIX', 'SSH'),
  ('PostgreSQL', 'postgresql', 'SQL'),
  ('MySQL and MariaDB', 'mysql', 'SQL'),
  ('SQL Server', 'mssql', 'SQL'),
  ('Oracle', 'oracle', 'SQL'),
  ('MongoDB', 'mongodb', 'SQL'),
  ('Network Device', 'Network Device', 'SSH'),
  ('Security Appliance', 'Security Appliance', 'SSH'),
  ('Application', 'Application', 'HTTPS'),
  ('Website', 'Website', 'HTTPS'),
  ('AWS', 'AWS', 'HTTPS'),
  ('Azure', 'Azure', 'HTTPS')
) as seed (name, system_type, connection_method);
