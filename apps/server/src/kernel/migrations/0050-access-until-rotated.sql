-- Whether an account can be checked out after a use has ended and before its password was rotated.
alter table platforms add column access_until_rotated text not null default 'blocked'
  check (access_until_rotated in ('blocked', 'allowed'));

-- A secret manager has allowed access before the rotation; the next use that ends blocks it again.
alter table accounts add column rotation_block_lifted boolean not null default false;
-- Why the rotation that is wanted could not be started when it was last looked at.
alter table accounts add column rotation_hindrance text;

-- Accounts whose rotation was pending before this version stay accessible.
update accounts set rotation_block_lifted = true where rotation_wanted_because in ('check-in', 'grant-ended');

create index access_requests_retrieved on access_requests (account_id) where state = 'granted' and is_retrieved;
