-- Puts approved accounts into safes: one journal for each onboarding.
create table discovery_onboardings (
  id uuid primary key,
  -- The approval, its background job and, for several accounts, the run of their first rotations.
  run_id uuid not null,
  discovered_id uuid not null references discovered_accounts (id) on delete cascade,
  state text not null check (state in ('planned', 'rotating', 'waiting', 'done', 'failed', 'undone')),
  message text not null,
  safe_id uuid not null references safes (id),
  platform_id uuid not null references platforms (id),
  name text not null,
  -- Whether the reconcile account sets a new password.
  is_rotated boolean not null,
  account_id uuid references credentials (id),
  rotation_id uuid,
  requested_by uuid not null,
  requester_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index discovery_onboardings_of_account on discovery_onboardings (discovered_id, created_at desc);
create unique index discovery_onboardings_open on discovery_onboardings (discovered_id)
  where state in ('planned', 'rotating', 'waiting', 'done');
create index discovery_onboardings_of_run on discovery_onboardings (run_id, state);
create index discovery_onboardings_by_time on discovery_onboardings (created_at desc, id desc);
create index discovery_onboardings_under_way on discovery_onboardings (updated_at) where state in ('planned', 'rotating', 'waiting');
create index discovery_onboardings_by_account on discovery_onboardings (account_id) where account_id is not null;

create table discovery_onboarding_lines (
  onboarding_id uuid not null references discovery_onboardings (id) on delete cascade,
  number integer not null,
  state text not null,
  message text not null,
  at timestamptz not null,
  primary key (onboarding_id, number)
);

-- The latest scan that reported differences.
alter table discovered_accounts add column changed_scan_id uuid;
