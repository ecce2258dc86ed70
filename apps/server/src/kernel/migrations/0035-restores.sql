-- A database that was restored: how a start learns of it, what it ended, and the review by an administrator.

-- `strongroom restore` creates this table in databases of earlier versions too: the first start after it finds its row.
create table if not exists restore_marks (
  id               uuid primary key default gen_random_uuid(),
  found_by         text not null,
  backup_made_at   timestamptz,
  is_authenticated boolean,
  marked_at        timestamptz not null default clock_timestamp()
);

create table admin_restores (
  id               uuid primary key,
  found_by         text not null check (found_by in ('restore', 'command', 'checkpoint')),
  backup_made_at   timestamptz,
  is_authenticated boolean,
  restored_at      timestamptz not null,
  -- SHA-256 of the kept checkpoint that the database fell behind, so that it is found once.
  kept_checkpoint  text,
  -- Audit entries that are known to be missing; null: not known.
  missing_entries  bigint,
  -- Numbers, by what was ended.
  ended            jsonb not null,
  -- What a file sink on this machine recorded after the backup was made.
  changes          jsonb not null,
  finished_at      timestamptz,
  finished_by      text
);

-- After a restore, until an administrator confirms the token.
alter table tokens add column suspended_at timestamptz;
