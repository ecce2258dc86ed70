-- The active version of each secret is authenticated: a MAC under its owner's key over the version and a counter that only grows.
-- Null: stored before this, and bound once, when the vault is open for the first time.
alter table credentials
  add column active_count integer not null default 0,
  add column active_mac bytea;

-- Secrets whose row does not match its MAC, from the first use or check that found it until another secret is stored.
create table active_version_mismatches (
  credential_id uuid primary key references credentials on delete cascade,
  found_at timestamptz not null
);
