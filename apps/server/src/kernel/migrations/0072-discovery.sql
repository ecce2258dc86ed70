-- Systems that Strongroom scans for accounts, the scans, and the accounts that they found.
create table discovery_targets (
  id uuid primary key,
  -- Its members see the target and the accounts that scans find.
  safe_id uuid not null references safes (id),
  name text not null,
  description text,
  target_type text not null check (target_type in ('linux', 'windows', 'database', 'aws', 'active_directory')),
  connection_method text not null check (connection_method in ('ssh', 'winrm', 'https', 'aws_api', 'database')),
  hostname text not null,
  port integer not null check (port between 1 and 65535),
  timeout_ms integer not null check (timeout_ms >= 1000),
  credential_id uuid not null references credentials (id),
  -- The credential's safe when a user chose it. A credential that moves to another safe is no longer used here.
  credential_safe_id uuid not null,
  -- The login revision that the target rejected. Scans do not send it again, so that they lock no account.
  rejected_revision integer,
  host_key jsonb,
  is_active boolean not null default true,
  created_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index discovery_targets_of_safe on discovery_targets (safe_id);
create index discovery_targets_by_name on discovery_targets (lower(name), id);

create table discovery_scans (
  -- The id of the background job, too.
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  status text not null check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  include_system_accounts boolean not null,
  timeout_ms integer not null,
  max_accounts integer not null,
  requested_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  accounts_discovered integer,
  accounts_stored integer,
  is_complete boolean not null default true,
  logins integer not null default 0,
  error_code text,
  error_message text
);
create unique index discovery_scans_open on discovery_scans (target_id) where status in ('pending', 'running');
create index discovery_scans_of_target on discovery_scans (target_id, created_at desc, id desc);
create index discovery_scans_by_time on discovery_scans (created_at desc, id desc);

create table discovered_accounts (
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  -- The name as the system compares it: later scans recognise the account by it.
  identity text not null,
  account_name text not null,
  hostname text not null,
  system_type text not null check (system_type in ('linux', 'unix', 'windows', 'database', 'other')),
  status text not null check (status in ('pending_approval', 'active', 'rejected')),
  rejection_reason text,
  -- Null for an account that a safe contained when it was found.
  decided_by text,
  decided_at timestamptz,
  onboarding jsonb,
  is_privileged boolean not null,
  is_locked boolean not null,
  password_changed_at timestamptz,
  expires_at timestamptz,
  last_login_at timestamptz,
  facts jsonb not null,
  changes jsonb not null,
  discovered_at timestamptz not null,
  last_seen_at timestamptz not null,
  missing_since timestamptz,
  scan_id uuid not null,
  last_scan_id uuid not null,
  unique (target_id, identity)
);
create index discovered_accounts_by_status on discovered_accounts (status, discovered_at desc, id desc);
create index discovered_accounts_by_time on discovered_accounts (discovered_at desc, id desc);

-- Whether a safe contains an account with this name on this host.
create index credentials_by_login on credentials (lower(host), lower(username)) where user_id is null and deleted_at is null;
