-- Groups of people, safes, and who may do what in a safe.

-- The time by which access begins and ends: the database's, the same for all processes. A function, so that a test can
-- put the clock back or forward for one database.
create function access_time() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';

create table groups (
  id              uuid primary key,
  name            text not null,
  description     text,
  kind            text not null check (kind in ('group', 'team', 'department')),
  may_break_glass boolean not null,
  created_at      timestamptz not null
);
create unique index groups_by_name on groups (lower(name));

create table group_members (
  group_id uuid not null references groups on delete cascade,
  user_id  uuid not null references users,
  added_at timestamptz not null,
  primary key (group_id, user_id)
);
create index group_members_by_user on group_members (user_id, group_id);

create table safes (
  id           uuid primary key,
  name         text not null,
  description  text,
  safe_type    text not null check (safe_type in ('standard', 'shared', 'department', 'application')),
  access_level text not null check (access_level in ('private', 'team', 'department', 'public')),
  status       text not null default 'active' check (status in ('active', 'inactive', 'archived')),
  owner_id     uuid not null references users,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  deleted_at   timestamptz
);
create index safes_by_name on safes (lower(name), id) where deleted_at is null;
create index safes_by_access_level on safes (access_level, owner_id) where deleted_at is null and access_level <> 'private';

create table safe_members (
  id          uuid primary key,
  safe_id     uuid not null references safes,
  user_id     uuid references users,
  group_id    uuid references groups on delete cascade,
  role        text not null check (role in ('owner', 'manager', 'user', 'auditor', 'approver', 'custom')),
  -- Bit n is the n-th name of SAFE_PERMISSIONS. Bit 0, `list`, comes with each of the others.
  permissions integer not null check (permissions & 1 = 1),
  expires_at  timestamptz,
  added_at    timestamptz not null,
  added_by    uuid references users,
  check (num_nonnulls(user_id, group_id) = 1)
);
create unique index safe_members_by_user on safe_members (user_id, safe_id) where user_id is not null;
create unique index safe_members_by_group on safe_members (group_id, safe_id) where group_id is not null;
create index safe_members_by_safe on safe_members (safe_id);
