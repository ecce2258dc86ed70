-- Logins that a target rejected while a gateway opened a session. The gateway is one source address for its targets, so
-- that rejected logins of one user could lock out all others (PerSourcePenalties of OpenSSH, account lock-outs).
create table session_login_failures (
  account_id uuid not null,
  -- The version of the secret that was rejected: a new one is tried at once.
  version    integer not null,
  user_id    uuid not null,
  failed_at  timestamptz not null
);
create index session_login_failures_of_account on session_login_failures (account_id, failed_at);
create index session_login_failures_of_user on session_login_failures (user_id, failed_at);
create index session_login_failures_by_time on session_login_failures (failed_at);
