-- The name to log in with, for systems that list accounts by another one: user@host in MySQL, a name with an ID in Azure.
alter table discovered_accounts add column login_name text;
drop index discovered_accounts_by_host;
create index discovered_accounts_by_host on discovered_accounts (lower(hostname), lower(coalesce(login_name, account_name)));
