-- What the sign-in policy also rules, people who were invited, and what the Admin Console looks after.

alter table sign_in_policy
  add column password_min_length integer not null default 8 check (password_min_length between 8 and 128),
  -- Roles that sign in with a second factor only.
  add column mfa_required_roles  text[] not null default '{}'
    check (mfa_required_roles <@ array['user', 'manager', 'admin']),
  -- How long a proof of who one is opens what asks for a fresh one.
  add column step_up_minutes     integer not null default 30 check (step_up_minutes between 5 and 480),
  -- CIDR blocks from which people may come; empty: from anywhere.
  add column allowed_networks    text[] not null default '{}';

-- Set while an invitation is open: until the person chose a password, nobody can sign in as them.
alter table users add column invited_at timestamptz;

-- The server processes; each says now and then that it is there.
create table admin_processes (
  id         uuid primary key,
  host       text not null,
  pid        integer not null,
  version    text not null,
  node       text not null,
  is_sealed  boolean not null,
  started_at timestamptz not null,
  seen_at    timestamptz not null
);

-- What became of trying to restore a backup, or only of making one when it failed.
create table admin_drills (
  id         uuid primary key,
  -- The folder's name, and when its database was as it is in there.
  backup     text not null,
  made_at    timestamptz,
  started_at timestamptz not null,
  ended_at   timestamptz,
  -- Each: what was looked at, whether it is as it should be, and a sentence.
  findings   jsonb not null default '[]',
  is_good    boolean,
  started_by uuid references users
);
create index admin_drills_by_backup on admin_drills (backup, started_at desc);
