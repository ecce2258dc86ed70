-- A dependent is authenticated: a MAC over the columns that decide where the new secret of its account is written, and what.
-- Null: stored before this, and bound once, when the vault is open for the first time.
alter table account_dependents add column mac bytea;

-- Dependents whose row does not match its MAC, from the first use or check that found it until they are removed.
create table dependent_mismatches (
  dependent_id uuid primary key references account_dependents on delete cascade,
  found_at timestamptz not null
);
