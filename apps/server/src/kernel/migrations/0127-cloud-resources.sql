-- Objects of cloud accounts that scans found: users, access keys, roles, and the names of secrets and parameters.
create table discovery_cloud_resources (
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  provider text not null check (provider in ('aws')),
  account text,
  -- `global` for objects that all regions share.
  region text not null,
  kind text not null check (kind in ('iam_user', 'access_key', 'iam_role', 'secret', 'parameter')),
  name text not null,
  facts jsonb not null,
  discovered_at timestamptz not null,
  last_seen_at timestamptz not null,
  missing_since timestamptz,
  unique (target_id, region, kind, name)
);
create index discovery_cloud_resources_by_time on discovery_cloud_resources (discovered_at desc, id desc);

-- The regions of a cloud that the scan covers; none for the region of its credential.
alter table discovery_scans add column regions text[] not null default '{}';
