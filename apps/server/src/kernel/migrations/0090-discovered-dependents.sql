-- Services, units, jobs and files on the system that use a discovered account, as the latest scan reported them.
alter table discovered_accounts add column dependents jsonb not null default '[]';
