-- The number of discovered accounts of each target by status and privilege, so that lists and statistics count nothing.
create table discovered_counts (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  status text not null,
  is_privileged boolean not null,
  is_missing boolean not null,
  count bigint not null,
  primary key (target_id, status, is_privileged, is_missing)
);
insert into discovered_counts
  select target_id, status, is_privileged, missing_since is not null, count(*) from discovered_accounts group by 1, 2, 3, 4;

create function count_added_accounts() returns trigger language plpgsql as $$
begin
  insert into discovered_counts as known
    select target_id, status, is_privileged, missing_since is not null, count(*) from added
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (target_id, status, is_privileged, is_missing) do update set count = known.count + excluded.count;
  return null;
end $$;

create function count_changed_accounts() returns trigger language plpgsql as $$
begin
  insert into discovered_counts as known
    select target_id, status, is_privileged, is_missing, sum(one) from (
      select target_id, status, is_privileged, missing_since is not null as is_missing, 1 as one from after_change
      union all
      select target_id, status, is_privileged, missing_since is not null, -1 from before_change
    ) changed
    group by 1, 2, 3, 4 having sum(one) <> 0 order by 1, 2, 3, 4
    on conflict (target_id, status, is_privileged, is_missing) do update set count = known.count + excluded.count;
  return null;
end $$;

-- A target that is being deleted has no counts any more.
create function count_removed_accounts() returns trigger language plpgsql as $$
begin
  update discovered_counts known set count = known.count - gone.count from (
    select target_id, status, is_privileged, missing_since is not null as is_missing, count(*) as count from removed
    group by 1, 2, 3, 4) gone
  where known.target_id = gone.target_id and known.status = gone.status and known.is_privileged = gone.is_privileged
    and known.is_missing = gone.is_missing;
  return null;
end $$;

create trigger discovered_accounts_added after insert on discovered_accounts
  referencing new table as added for each statement execute function count_added_accounts();
create trigger discovered_accounts_changed after update on discovered_accounts
  referencing old table as before_change new table as after_change
  for each statement execute function count_changed_accounts();
create trigger discovered_accounts_removed after delete on discovered_accounts
  referencing old table as removed for each statement execute function count_removed_accounts();

create index discovered_accounts_by_privilege on discovered_accounts (is_privileged, status, discovered_at desc, id desc);
create index discovered_accounts_of_target on discovered_accounts (target_id, discovered_at desc, id desc);
-- Finds the privileged accounts that safes contain.
create index discovered_accounts_by_login on discovered_accounts (lower(hostname), lower(account_name))
  where is_privileged and missing_since is null;
