-- Resetting the sign-in of an administrator needs two others; who is told of a reset is mailed whatever they prefer.

alter table notices add column mail text not null default 'wanted' check (mail in ('wanted', 'always'));

-- Since when somebody is an administrator, and until when somebody who no longer is one is protected like one: otherwise one
-- administrator could demote another, reset their password alone, and promote them again.
alter table users
  add column admin_since timestamptz,
  add column admin_until timestamptz;
update users set admin_since = created_at where role = 'admin';

create table admin_resets (
  id           uuid primary key,
  user_id      uuid not null references users,
  kind         text not null check (kind in ('password', 'factors')),
  reason       text not null,
  requested_by uuid not null references users,
  requested_at timestamptz not null,
  expires_at   timestamptz not null,
  outcome      text check (outcome in ('confirmed', 'cancelled', 'expired')),
  settled_by   uuid references users,
  settled_at   timestamptz,
  check ((outcome is null) = (settled_at is null)),
  check (outcome is distinct from 'confirmed' or settled_by not in (requested_by, user_id))
);
create unique index admin_resets_open on admin_resets (user_id, kind) where outcome is null;
