-- What the sign-in policy also rules, and people who were invited.

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
