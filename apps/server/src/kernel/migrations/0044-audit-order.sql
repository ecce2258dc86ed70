-- Lists of the audit trail follow the order in which the database recorded the entries (decision 0032), not the times in their ids:
-- the clock of a process can be set back.

create sequence audit_seq;
alter table audit_entries add column seq bigint;

-- Rebuilt below on the new column.
drop index audit_entries_by_target, audit_entries_by_actor_and_result, audit_entries_by_event_and_result,
  audit_entries_unsuccessful, audit_entries_grave, audit_entries_under_grants, audit_entries_by_grant;

-- Entries of before: in the order of the tree. Quarantined entries follow the entry recorded before them; pending entries are the newest.
drop trigger audit_entries_are_kept on audit_entries;
update audit_entries set seq = numbered.seq
from (
  select entry.id, row_number() over (
    order by coalesce(leaf.leaf_index, earlier.leaf_index, 9223372036854775807), leaf.leaf_index nulls last, entry.id
  ) as seq
  from audit_entries entry
  left join audit_leaves leaf on leaf.entry_id = entry.id
  left join audit_quarantine quarantined on quarantined.entry_id = entry.id
  left join lateral (
    select before.leaf_index from audit_entries older join audit_leaves before on before.entry_id = older.id
    where quarantined.entry_id is not null and older.id < entry.id order by older.id desc limit 1
  ) earlier on true
) numbered
where audit_entries.id = numbered.id;
select setval('audit_seq', coalesce(max(seq), 0) + 1, false) from audit_entries;
alter table audit_entries alter column seq set not null, alter column seq set default nextval('audit_seq');
alter sequence audit_seq owned by audit_entries.seq;

create unique index audit_entries_by_seq on audit_entries (seq);
create index audit_entries_by_target on audit_entries (target_id, seq) where target_id is not null;
create index audit_entries_by_actor_and_result on audit_entries (actor_id, result, seq) where actor_id is not null;
create index audit_entries_by_event_and_result on audit_entries (event, result, seq);
create index audit_entries_unsuccessful on audit_entries (result, seq) where result <> 'success';
create index audit_entries_grave on audit_entries (severity, seq) where severity is not null;
create index audit_entries_under_grants on audit_entries (seq) where grant_id is not null;
create index audit_entries_by_grant on audit_entries (grant_id, seq) where grant_id is not null;

-- Only `seq` may change: the sequencer moves an entry that committed after later ones to its place in the tree.
create trigger audit_entries_are_kept
  before update of id, at, event, actor_id, actor_name, target_type, target_id, result, severity, grant_id, canonical
    or delete or truncate on audit_entries
  for each statement execute function audit_is_kept();

-- The sequencer takes pending entries in this order.
alter table audit_pending add column seq bigint;
update audit_pending set seq = entry.seq from audit_entries entry where entry.id = audit_pending.entry_id;
alter table audit_pending alter column seq set default nextval('audit_seq');
update audit_pending set seq = default where seq is null;
alter table audit_pending alter column seq set not null;
create index audit_pending_by_seq on audit_pending (seq);

-- Which part of the order each hour (UTC) is in, of entries that have a place in the tree. Hours overlap after a clock was set back.
create table audit_hours (
  hour      timestamptz primary key,
  first_seq bigint not null,
  last_seq  bigint not null
) with (fillfactor = 70);
insert into audit_hours (hour, first_seq, last_seq)
select date_trunc('hour', entry.at, 'UTC'), min(entry.seq), max(entry.seq)
from audit_leaves leaf join audit_entries entry on entry.id = leaf.entry_id group by 1;
