-- The seal (one row: how the root key is found) and the key-encryption keys that it wraps.
create table seal (
  is_only boolean primary key default true check (is_only),
  record jsonb not null,
  root_key_id text not null,
  changed_at timestamptz not null default now()
);

create table keks (
  id uuid primary key,
  purpose text not null unique,
  root_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now()
);
