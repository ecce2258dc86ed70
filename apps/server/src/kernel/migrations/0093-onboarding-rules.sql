-- Ordered rules that choose safes and platforms for discovered accounts, and that approve or reject them after a scan.
create table discovery_rules (
  id uuid primary key,
  -- The rule applies to accounts that scans of this safe's targets find.
  safe_id uuid not null references safes (id),
  position integer not null,
  name text not null,
  action text not null check (action in ('place', 'approve', 'reject')),
  is_enabled boolean not null,
  target_id uuid references discovery_targets (id) on delete cascade,
  name_pattern text,
  dn_pattern text,
  is_privileged boolean,
  into_safe_id uuid references safes (id),
  platform_id uuid references platforms (id),
  onboarding jsonb,
  reason text,
  -- The user with whose permissions the rule acts: the one who enabled it last.
  acts_for uuid not null,
  acts_for_name text not null,
  created_at timestamptz not null
);
create index discovery_rules_of_safe on discovery_rules (safe_id, position, id);
