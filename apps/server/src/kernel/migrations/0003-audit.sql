-- The audit trail: entries as they were recorded, their places in the Merkle tree (RFC 9162), and signed checkpoints.

create table audit_entries (
  -- UUID version 7: the order of ids is the order of time, and lists page by it.
  id          uuid primary key,
  at          timestamptz not null,
  event       text not null,
  actor_id    uuid,
  actor_name  text not null,
  target_type text,
  target_id   text,
  result      text not null check (result in ('success', 'failure', 'warning', 'info')),
  -- The exact bytes that the tree covers (RFC 8785). The columns before only help to find them.
  canonical   bytea not null
);
create index audit_entries_by_target on audit_entries (target_id, id) where target_id is not null;
create index audit_entries_by_actor on audit_entries (actor_id, id) where actor_id is not null;
create index audit_entries_by_event on audit_entries (event, id);
create index audit_entries_unsuccessful on audit_entries (result, id) where result <> 'success';

-- Entries without a place in the tree yet. Filled by the statement that inserts the entry, so that one which commits
-- late is found all the same; emptied by the sequencer many times a minute, hence the eager vacuum.
create table audit_pending (
  entry_id uuid primary key
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table audit_leaves (
  leaf_index bigint primary key check (leaf_index >= 0),
  entry_id   uuid not null unique,
  leaf_hash  bytea not null check (length(leaf_hash) = 32)
);

-- Complete subtrees of level 1 and above: the leaves index * 2^level to (index + 1) * 2^level - 1.
create table audit_nodes (
  level smallint not null check (level > 0),
  index bigint not null check (index >= 0),
  hash  bytea not null check (length(hash) = 32),
  primary key (level, index)
);

create table audit_checkpoints (
  size      bigint primary key check (size >= 0),
  -- A C2SP signed note.
  note      text not null,
  signed_at timestamptz not null
);

-- The log's name and the Ed25519 seed that signs for it, sealed under the KEK of "audit-signing". The public key is only
-- ever derived from what opens.
create table audit_log (
  is_only     boolean primary key default true check (is_only),
  origin      text not null,
  sealed_seed bytea not null,
  created_at  timestamptz not null
);

-- Nothing in the product changes or removes what was recorded; whoever does it past these is found by the tree.
create function audit_is_kept() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger audit_entries_are_kept before update or delete or truncate on audit_entries
  for each statement execute function audit_is_kept();
create trigger audit_leaves_are_kept before update or delete or truncate on audit_leaves
  for each statement execute function audit_is_kept();
create trigger audit_nodes_are_kept before update or delete or truncate on audit_nodes
  for each statement execute function audit_is_kept();
