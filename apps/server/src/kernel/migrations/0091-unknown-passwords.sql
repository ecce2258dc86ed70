-- Accounts whose password nobody has stored yet. Their stored secret is a random placeholder, which no user may retrieve
-- and which is never sent to a target.
alter table accounts add column is_password_unknown boolean not null default false;
alter table accounts add constraint accounts_password_known check (status <> 'active' or not is_password_unknown);
