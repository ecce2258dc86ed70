-- Accounts that signed up wait for an administrator. Those that are there stay what they are.
alter table users drop constraint users_status_check;
alter table users add constraint users_status_check check (status in ('pending', 'active', 'disabled', 'deleted'));
create index users_pending on users (id) where status = 'pending';

-- Who may sign up. What was closed stays closed; where it was open, new accounts wait for activation from now on.
alter table sign_in_policy
  add column sign_up         text not null default 'activation' check (sign_up in ('closed', 'domains', 'activation', 'open')),
  add column sign_up_domains text[] not null default '{}';
update sign_in_policy set sign_up = 'closed' where not sign_up_open;
alter table sign_in_policy drop column sign_up_open;
