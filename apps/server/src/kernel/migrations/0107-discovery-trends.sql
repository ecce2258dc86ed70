-- Existing accounts of each target at the end of each day, for trends.
create table discovery_daily_counts (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  day date not null,
  managed integer not null,
  unmanaged integer not null,
  unmanaged_privileged integer not null,
  primary key (target_id, day)
);

-- Finds the accounts that safes contain, from the safes' side.
create index discovered_accounts_by_host on discovered_accounts (lower(hostname), lower(account_name))
  where missing_since is null;
create index discovered_accounts_by_age on discovered_accounts (discovered_at)
  where is_privileged and missing_since is null;
