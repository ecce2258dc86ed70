-- Lists of ten million audit entries: what they are narrowed by, how many there are, and what people, things and hosts in them
-- are called (decision 0016).

-- Both are in the entry's own bytes as well. Null: routine, which reads as `low`.
alter table audit_entries add column severity text check (severity in ('critical', 'high', 'medium'));
-- The grant of just-in-time access under which it happened.
alter table audit_entries add column grant_id uuid;

-- Every list reads a few indexes backwards from the newest entry, each at one value of all but its last column.
create index audit_entries_by_event_and_result on audit_entries (event, result, id);
drop index audit_entries_by_event;
create index audit_entries_by_actor_and_result on audit_entries (actor_id, result, id) where actor_id is not null;
drop index audit_entries_by_actor;
create index audit_entries_grave on audit_entries (severity, id) where severity is not null;
create index audit_entries_under_grants on audit_entries (id) where grant_id is not null;
create index audit_entries_by_grant on audit_entries (grant_id, id) where grant_id is not null;

-- Entries of before whose details name a grant. What was recorded stays as it is: this fills the new column only.
create function audit_grant(canonical bytea) returns uuid language plpgsql as $$
begin
  return (convert_from(canonical, 'UTF8')::jsonb #>> '{details,request}')::uuid;
exception when others then
  return null;
end
$$;
alter table audit_entries disable trigger audit_entries_are_kept;
update audit_entries set grant_id = audit_grant(canonical)
where position(convert_to('"request":"', 'UTF8') in canonical) > 0 and audit_grant(canonical) is not null;
alter table audit_entries enable trigger audit_entries_are_kept;
drop function audit_grant(bytea);

-- How many entries have a place in the tree, by the hour, by the day and by the century (UTC). The sequencer adds each entry once, in the
-- transaction that gives it its place; it works alone, so nobody waits for these rows.
create table audit_counts (
  span     text not null check (span in ('hour', 'day', 'century')),
  since    timestamptz not null,
  event    text not null,
  result   text not null,
  severity text not null,
  is_jit   boolean not null,
  entries  bigint not null,
  primary key (span, since, event, result, severity, is_jit)
) with (fillfactor = 70);
insert into audit_counts (span, since, event, result, severity, is_jit, entries)
select span, date_trunc(span, entry.at, 'UTC'), entry.event, entry.result, 'low', entry.grant_id is not null, count(*)
from audit_leaves leaf join audit_entries entry on entry.id = leaf.entry_id, unnest(array['hour', 'day', 'century']) span
group by 1, 2, 3, 4, 6;

-- What the subjects of entries are and were called: people and parts of the product that act, things that are acted on (by
-- their names and hosts), events in words. A search finds subjects here, and their entries by the indexes above.
create table audit_names (
  kind    text not null check (kind in ('actor', 'target', 'event')),
  subject text not null,
  -- In lower case.
  name    text not null,
  primary key (kind, subject, name)
);
insert into audit_names (kind, subject, name)
select distinct 'actor', actor_id::text, lower(actor_name) from audit_entries where actor_id is not null;

create function audit_target_name(canonical bytea) returns text language plpgsql as $$
begin
  return convert_from(canonical, 'UTF8')::jsonb #>> '{target,name}';
exception when others then
  return null; -- Somebody overwrote it: Verify names it.
end
$$;
insert into audit_names (kind, subject, name)
select 'target', target_id, lower(name)
from (
  select distinct on (target_id) target_id, audit_target_name(canonical) as name
  from audit_entries where target_id is not null order by target_id, id desc
) newest where name is not null;
drop function audit_target_name(bytea);
