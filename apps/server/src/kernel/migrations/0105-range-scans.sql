-- Scans of address ranges for systems, and the networks that administrators allowed them to touch.
create table discovery_networks (
  id uuid primary key,
  -- In CIDR notation, as the administrator wrote it.
  network text not null unique,
  description text,
  created_by text not null,
  created_at timestamptz not null
);

create table discovery_range_scans (
  -- The id of the background job, too.
  id uuid primary key,
  -- Its members see the scan and the hosts that it found.
  safe_id uuid not null references safes (id),
  name text not null,
  ranges text[] not null,
  exclusions text[] not null,
  ports integer[] not null,
  -- Connections per second.
  rate integer not null,
  timeout_ms integer not null,
  -- A list of {target_type, credential_id, credential_safe_id}: the credentials of new targets by type.
  credentials jsonb not null,
  -- Whether found hosts become targets without a click.
  creates_targets boolean not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  requested_by text not null,
  requested_by_id uuid not null,
  addresses integer not null,
  -- All addresses before this number are done: a restarted job continues here.
  scanned integer not null default 0,
  refused integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  error_code text,
  error_message text
);
create index discovery_range_scans_of_safe on discovery_range_scans (safe_id);
create index discovery_range_scans_by_time on discovery_range_scans (created_at desc, id desc);

create table discovery_hosts (
  id uuid primary key,
  range_scan_id uuid not null references discovery_range_scans (id) on delete cascade,
  address inet not null,
  services jsonb not null,
  found_at timestamptz not null,
  unique (range_scan_id, address)
);

-- The target of a found host, if any.
create index discovery_targets_by_address on discovery_targets (safe_id, lower(hostname), port);
