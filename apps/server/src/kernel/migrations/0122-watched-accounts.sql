-- Accounts whose sessions a user is notified of.
create table watched_accounts (
  account_id uuid not null references accounts (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  watched_since timestamptz not null default now(),
  primary key (account_id, user_id)
);
create index watched_accounts_of_user on watched_accounts (user_id);
