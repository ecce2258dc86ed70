-- Counts of discovered accounts, so that statistics cost the same with a million accounts as with a few.
alter table discovered_accounts add column in_safe boolean not null default false;
create index discovered_accounts_by_login on discovered_accounts (lower(hostname), lower(account_name));
create index discovered_accounts_at_risk on discovered_accounts (target_id, discovered_at)
  where is_privileged and not in_safe and missing_since is null;

create table discovery_account_counts (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  status text not null,
  is_privileged boolean not null,
  is_missing boolean not null,
  in_safe boolean not null,
  count integer not null,
  primary key (target_id, status, is_privileged, is_missing, in_safe)
);

-- Existing accounts of each target at the end of each day, for trends.
create table discovery_daily_counts (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  day date not null,
  managed integer not null,
  unmanaged integer not null,
  unmanaged_privileged integer not null,
  primary key (target_id, day)
);

-- Whether a safe contains an account with this name on this host.
create function discovery_is_in_safe(hostname text, account_name text) returns boolean language sql stable as $$
  select exists (
    select from credentials where user_id is null and deleted_at is null
      and lower(host) = lower(hostname) and lower(username) = lower(account_name))
$$;

create function discovery_note_safe() returns trigger language plpgsql as $$
begin
  new.in_safe := discovery_is_in_safe(new.hostname, new.account_name);
  return new;
end $$;
create trigger discovered_accounts_note_safe before insert or update of hostname, account_name on discovered_accounts
  for each row execute function discovery_note_safe();

create function discovery_follow_credential() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update discovered_accounts set in_safe = discovery_is_in_safe(hostname, account_name)
    where lower(hostname) = lower(old.host) and lower(account_name) = lower(old.username)
      and in_safe <> discovery_is_in_safe(hostname, account_name);
  end if;
  if tg_op <> 'DELETE' then
    update discovered_accounts set in_safe = discovery_is_in_safe(hostname, account_name)
    where lower(hostname) = lower(new.host) and lower(account_name) = lower(new.username)
      and in_safe <> discovery_is_in_safe(hostname, account_name);
  end if;
  return null;
end $$;
create trigger credentials_follow_discovery after insert or delete or update of host, username, deleted_at, user_id
  on credentials for each row execute function discovery_follow_credential();

-- Rows are counted in one order, so that two transactions do not wait for each other.
create function discovery_count_accounts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into discovery_account_counts as counted
    select target_id, status, is_privileged, missing_since is not null, in_safe, count(*)
    from new_rows group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (target_id, status, is_privileged, is_missing, in_safe)
      do update set count = counted.count + excluded.count;
  elsif tg_op = 'UPDATE' then
    insert into discovery_account_counts as counted
    select target_id, status, is_privileged, is_missing, in_safe, sum(number) from (
      select target_id, status, is_privileged, missing_since is not null as is_missing, in_safe, 1 as number from new_rows
      union all
      select target_id, status, is_privileged, missing_since is not null, in_safe, -1 from old_rows
    ) changed group by 1, 2, 3, 4, 5 having sum(number) <> 0 order by 1, 2, 3, 4, 5
    on conflict (target_id, status, is_privileged, is_missing, in_safe)
      do update set count = counted.count + excluded.count;
  else
    -- The counts of a deleted target are deleted with it.
    insert into discovery_account_counts as counted
    select gone.target_id, gone.status, gone.is_privileged, gone.missing_since is not null, gone.in_safe, -count(*)
    from old_rows gone join discovery_targets on discovery_targets.id = gone.target_id
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (target_id, status, is_privileged, is_missing, in_safe)
      do update set count = counted.count + excluded.count;
  end if;
  return null;
end $$;
create trigger discovered_accounts_count_inserts after insert on discovered_accounts
  referencing new table as new_rows for each statement execute function discovery_count_accounts();
create trigger discovered_accounts_count_updates after update on discovered_accounts
  referencing old table as old_rows new table as new_rows for each statement execute function discovery_count_accounts();
create trigger discovered_accounts_count_deletes after delete on discovered_accounts
  referencing old table as old_rows for each statement execute function discovery_count_accounts();

insert into discovery_account_counts
select target_id, status, is_privileged, missing_since is not null, false, count(*)
from discovered_accounts group by 1, 2, 3, 4;
update discovered_accounts set in_safe = true where discovery_is_in_safe(hostname, account_name);
