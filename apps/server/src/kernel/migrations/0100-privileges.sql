-- Why discovered accounts are privileged, and the keys that open them. Each scan of a target replaces the rows of the
-- target. `identity` is that of discovered_accounts.
create table discovered_privileges (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  identity text not null,
  -- 0 is the strongest.
  position smallint not null,
  kind text not null,
  -- The identity of the account as which it acts; null for the strongest one of the system.
  becomes text,
  path jsonb not null,
  detail jsonb not null,
  needs_password boolean,
  is_full boolean not null,
  primary key (target_id, identity, position)
);
create index discovered_privileges_becomes on discovered_privileges (target_id, becomes) where becomes is not null;
create index discovered_privileges_full on discovered_privileges (target_id) where is_full;

create table discovered_keys (
  target_id uuid not null references discovery_targets (id) on delete cascade,
  position integer not null,
  relation text not null check (relation in ('opens', 'held')),
  -- Null for a private key that every account of the target can read.
  identity text,
  fingerprint text,
  key_type text,
  place text not null,
  comment text,
  options jsonb not null,
  is_encrypted boolean,
  read_by text,
  primary key (target_id, position)
);
create index discovered_keys_by_fingerprint on discovered_keys (fingerprint, relation, target_id, identity);
create index discovered_keys_of_account on discovered_keys (target_id, identity, relation);

-- Facts of the system itself, such as its listening services.
create table discovered_systems (
  target_id uuid primary key references discovery_targets (id) on delete cascade,
  facts jsonb not null,
  seen_at timestamptz not null
);

-- The strongest privilege of each account, for filters; null for none.
alter table discovered_accounts add column privilege text;
