-- The keys of data folders by which entries that wait for their place are checked, each sealed under the KEK of
-- "audit-integrity": a process on another machine, or after a restore elsewhere, can check what was written with them.
create table audit_pending_keys (
  name       text primary key,
  sealed_key bytea not null,
  created_at timestamptz not null
);
