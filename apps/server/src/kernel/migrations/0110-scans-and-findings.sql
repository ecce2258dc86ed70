-- Enhanced scans of files, saved configurations, the manifest of scanned files, and the findings.
create table scans (
  -- The id of the background job, too.
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  scan_type text not null check (scan_type in ('basic', 'enhanced', 'compliance', 'security_audit')),
  status text not null check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  config jsonb not null,
  frameworks text[] not null,
  auto_vault boolean not null,
  requester_id uuid not null,
  requested_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  logins integer not null default 0,
  files_found integer not null default 0,
  files_read integer not null default 0,
  files_unchanged integer not null default 0,
  bytes_read bigint not null default 0,
  -- Files that were chosen for reading; with files_read, the progress.
  files_chosen integer,
  accounts_discovered integer not null default 0,
  findings_discovered integer not null default 0,
  secrets_found integer not null default 0,
  new_findings integer not null default 0,
  fixed_findings integer not null default 0,
  compliance_violations integer not null default 0,
  risk_score integer not null default 0,
  unread jsonb not null default '[]',
  unread_count integer not null default 0,
  ended_by text check (ended_by in ('time', 'files', 'bytes')),
  way text check (way in ('tar', 'sftp')),
  as_root boolean not null default false,
  error_code text,
  error_message text
);
create unique index scans_open on scans (target_id) where status in ('pending', 'running');
create index scans_of_target on scans (target_id, created_at desc, id desc);
create index scans_by_time on scans (created_at desc, id desc);

create table scan_configs (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  config jsonb not null,
  frameworks text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index scan_configs_by_name on scan_configs (user_id, lower(name));

-- The files that scans have read. A later scan reads only files with another stamp.
create table scan_files (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  path text not null,
  -- Paths can be longer than an index allows.
  path_key uuid generated always as (md5(path)::uuid) stored,
  -- Size, times, inode, mode and owner.
  stamp text not null,
  -- The settings and the version of the detectors: with others, the file is read again.
  engine text not null,
  primary key (target_id, path_key)
);

create table findings (
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  -- A digest of path, class and fingerprint: later scans recognise the finding by it, on whatever line.
  identity text not null,
  path text not null,
  path_key uuid generated always as (md5(path)::uuid) stored,
  -- The keyed hash of the secret. Null when there is no single secret.
  fingerprint text,
  finding_type text not null check (finding_type in ('hardcoded_password', 'ssh_key', 'certificate',
    'service_account', 'shared_account', 'credential_exposure')),
  class text not null,
  detector text not null,
  reason text not null,
  confidence real not null,
  status text not null check (status in ('new', 'investigating', 'remediated', 'false_positive', 'accepted')),
  risk_score integer not null check (risk_score between 0 and 100),
  risk_factors jsonb not null,
  -- Below the threshold of the scan that saw it last.
  is_below_threshold boolean not null,
  line integer not null,
  key_name text,
  username text,
  host text,
  port integer,
  preview text not null,
  -- Lines around the secret, with every secret masked.
  context jsonb not null,
  file_owner text not null,
  file_group text not null,
  file_mode text not null,
  file_modified_at timestamptz not null,
  liveness text not null default 'unverified' check (liveness in ('unverified', 'live', 'dead', 'unknown')),
  verified_at timestamptz,
  account_id uuid references accounts (id) on delete set null,
  auto_vaulted boolean not null default false,
  assignee_id uuid references users (id) on delete set null,
  due_at timestamptz,
  rule_id uuid,
  first_scan_id uuid not null,
  last_scan_id uuid not null,
  fixed_scan_id uuid,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  unique (target_id, identity)
);
create index findings_by_status on findings (status, finding_type, risk_score desc, id desc);
create index findings_of_target on findings (target_id, risk_score desc, id desc);
create index findings_of_file on findings (target_id, path_key);
create index findings_by_fingerprint on findings (fingerprint);
create index findings_of_scan on findings (last_scan_id, risk_score desc);
create index findings_of_account on findings (account_id) where account_id is not null;

-- What happened to a finding, in order.
create table finding_changes (
  id uuid primary key,
  finding_id uuid not null references findings (id) on delete cascade,
  at timestamptz not null,
  by_name text not null,
  kind text not null,
  from_value text,
  to_value text,
  reason text
);
create index finding_changes_of on finding_changes (finding_id, at, id);

create table finding_rules (
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  kind text not null check (kind in ('path', 'secret', 'class')),
  -- A pattern of paths, a fingerprint or a class.
  matches text not null,
  reason text not null,
  review_at timestamptz not null,
  created_by text not null,
  created_at timestamptz not null
);
create index finding_rules_of_target on finding_rules (target_id, created_at desc, id desc);

-- How many findings each target has, so that statistics do not read them all.
create table finding_counts (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  status text not null,
  finding_type text not null,
  -- The lowest risk score of the severity: 0, 40, 60 or 80.
  band integer not null,
  is_below_threshold boolean not null,
  count bigint not null,
  primary key (target_id, status, finding_type, band, is_below_threshold)
);

create function risk_band(score integer) returns integer language sql immutable parallel safe as
  $$ select case when score >= 80 then 80 when score >= 60 then 60 when score >= 40 then 40 else 0 end $$;

create function count_findings() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into finding_counts as counted
    select target_id, status, finding_type, risk_band(risk_score), is_below_threshold, -count(*)
    from before_rows
    where exists (select from discovery_targets where id = target_id)
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (target_id, status, finding_type, band, is_below_threshold)
    do update set count = counted.count + excluded.count;
  end if;
  if tg_op <> 'DELETE' then
    insert into finding_counts as counted
    select target_id, status, finding_type, risk_band(risk_score), is_below_threshold, count(*)
    from after_rows group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (target_id, status, finding_type, band, is_below_threshold)
    do update set count = counted.count + excluded.count;
  end if;
  return null;
end $$;
create trigger count_inserted_findings after insert on findings
  referencing new table as after_rows for each statement execute function count_findings();
create trigger count_updated_findings after update on findings
  referencing old table as before_rows new table as after_rows for each statement execute function count_findings();
create trigger count_deleted_findings after delete on findings
  referencing old table as before_rows for each statement execute function count_findings();

-- Keyed hashes of the active secrets of accounts, to recognise them in files. Filled in the background.
create table known_secrets (
  secret_id uuid primary key references credentials (id) on delete cascade,
  version integer not null,
  -- Null for a secret that is too short or too common to be recognised.
  fingerprint text,
  -- The written forms, as packages/detectors computes them.
  forms jsonb not null
);
create index known_secrets_by_fingerprint on known_secrets (fingerprint);

-- Logins with the secrets of findings, so that no more of them are sent than a lock-out policy allows.
create table finding_logins (
  id uuid primary key,
  fingerprint text not null,
  at timestamptz not null
);
create index finding_logins_of on finding_logins (fingerprint, at);

-- What was done about a finding: its account, its rotation, and the dependent that updates its file.
create table finding_fixes (
  finding_id uuid primary key references findings (id) on delete cascade,
  account_id uuid references accounts (id) on delete set null,
  dependent_id uuid,
  rotation_id uuid,
  is_new_account boolean not null,
  -- The version of the secret that was in the file.
  version integer not null,
  settings jsonb not null,
  requested_by text not null,
  created_at timestamptz not null,
  undone_at timestamptz
);
