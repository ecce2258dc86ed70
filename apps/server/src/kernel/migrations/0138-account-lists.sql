-- Tags of accounts and safes, and the orders of the list of accounts.
alter table accounts add column tags text[] not null default '{}';
create index accounts_by_tag on accounts using gin (tags) where tags <> '{}';
alter table safes add column tags text[] not null default '{}';

create index accounts_by_rotated_at on accounts (rotated_at, id);
create index credentials_of_safes_by_name on credentials ((left(search_text, 120) collate "C"), id)
  where deleted_at is null and safe_id is not null;
create index credentials_of_safes_by_username on credentials ((lower(username) collate "C"), id)
  where deleted_at is null and safe_id is not null;
create index credentials_of_safes_by_host on credentials ((lower(host) collate "C"), id)
  where deleted_at is null and safe_id is not null;
create index credentials_of_safes_by_attempt on credentials ((coalesce(last_verification_attempt, 'epoch'::timestamptz)), id)
  where deleted_at is null and safe_id is not null;
