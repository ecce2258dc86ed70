-- Rules of sessions that change while they are live, logins by certificate, and port forwarding.

-- What the user of the session runs; null for sessions from before this column.
alter table sessions add column program text check (program in ('shell', 'exec', 'sftp', 'forward'));

alter table platforms
  -- Connections from the target to other hosts (`ssh -L`, `ssh -D`).
  add column session_allows_forward boolean not null default false,
  -- How a gateway logs in to the target: with the account's secret, or with a certificate that it issues.
  add column session_login text not null default 'secret' check (session_login in ('secret', 'certificate'));

create trigger platforms_recheck_session_rules
  after update of session_allows_shell, session_allows_exec, session_allows_sftp, session_allows_forward,
    session_zone, session_idle_minutes, session_needs_watcher, session_hides_watchers on platforms
  for each statement execute function recheck_sessions();

-- The SSH user CA: targets trust its public keys, and gateways sign short-lived certificates for sessions.
create table ssh_ca_keys (
  id         uuid primary key,
  -- The private key (PKCS #8), sealed. The public key is only ever derived from it.
  sealed     bytea not null,
  -- `next`: published, so that targets can trust it before it signs. `retired`: still published, but no longer signs.
  status     text not null check (status in ('next', 'active', 'retired')),
  created_at timestamptz not null
);
create unique index ssh_ca_keys_active on ssh_ca_keys (status) where status = 'active';
