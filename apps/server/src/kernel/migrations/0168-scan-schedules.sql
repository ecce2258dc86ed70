-- Schedules of enhanced scans. A scan that one starts acts for its owner.
create table scan_schedules (
  id uuid primary key,
  target_id uuid not null references discovery_targets (id) on delete cascade,
  owner_id uuid not null references users (id) on delete cascade,
  schedule jsonb not null,
  config jsonb not null,
  frameworks text[] not null,
  -- Null once its owner may no longer scan the target.
  next_at timestamptz,
  -- Why the last scan was not started.
  problem text,
  created_at timestamptz not null
);
create index scan_schedules_by_time on scan_schedules (next_at) where next_at is not null;
create index scan_schedules_of_target on scan_schedules (target_id);
create index scan_schedules_of_owner on scan_schedules (owner_id);
