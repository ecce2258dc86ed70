-- Privileged sessions: connections of users to targets through a gateway, and their recordings.

-- A gateway process. It counts as alive while its heartbeat is recent.
create table gateways (
  id            uuid primary key,
  name          text not null,
  -- Where native clients reach it; null: it serves browsers only.
  address       text,
  zone          text,
  version       text not null,
  started_at    timestamptz not null,
  heartbeat_at  timestamptz not null,
  is_draining   boolean not null default false,
  -- Why it starts no sessions at the moment, such as a sealed vault; null: it does.
  problem       text,
  live_sessions integer not null default 0
);

-- Names are kept as they were, so that a session can be shown after its account was renamed or deleted.
create table sessions (
  id               uuid primary key,
  user_id          uuid not null references users,
  user_name        text not null,
  account_id       uuid not null references accounts,
  account_name     text not null,
  safe_id          uuid not null references safes,
  safe_name        text not null,
  platform_id      uuid not null references platforms,
  platform_name    text not null,
  -- The grant and the API token that it was started with.
  grant_id         uuid,
  token_id         uuid,
  gateway_id       uuid not null,
  protocol         text not null check (protocol in ('ssh')),
  client           text not null check (client in ('browser', 'native')),
  -- The user name on the target, and its host and port.
  remote_user      text not null,
  target           text not null,
  source_address   text not null,
  reason           text,
  ticket           text,
  -- It holds the account's exclusive check-out.
  is_exclusive     boolean not null,
  -- Pending: its ticket has not been redeemed yet.
  status           text not null default 'pending' check (status in ('pending', 'active', 'completed')),
  requested_at     timestamptz not null,
  started_at       timestamptz,
  -- The latest end, whatever grants and check-outs allow.
  ends_at          timestamptz not null,
  ended_at         timestamptz,
  end_reason       text check (end_reason in
                   ('logout', 'expired', 'revoked', 'checked-in', 'user-disabled', 'membership-removed', 'account-deleted',
                    'terminated', 'target-closed', 'recorder-failed', 'database-lost', 'gateway-lost', 'idle', 'failed')),
  end_detail       text,
  -- Set by Terminate; the gateway ends the session then.
  terminated_at    timestamptz,
  terminated_by    uuid references users,
  terminated_why   text,
  is_recorded      boolean not null default false,
  input_bytes      bigint not null default 0,
  output_bytes     bigint not null default 0,
  last_activity_at timestamptz,
  risk_level       text not null default 'low' check (risk_level in ('low', 'medium', 'high')),
  risk_reasons     text[] not null default '{}',
  check ((status = 'completed') = (ended_at is not null)),
  check ((ended_at is null) = (end_reason is null)),
  check (status <> 'active' or started_at is not null)
);
create index sessions_by_age on sessions (started_at desc, id desc) where started_at is not null;
create index sessions_by_user on sessions (user_id, started_at desc, id desc);
create index sessions_by_safe on sessions (safe_id, started_at desc, id desc);
create index sessions_by_account on sessions (account_id, user_id);
create index sessions_live on sessions (gateway_id) where status <> 'completed';

-- A ticket opens or watches one session, once. Only its SHA-256 is stored; it has 256 random bits.
create table session_tickets (
  ticket_hash    bytea primary key,
  kind           text not null check (kind in ('open', 'watch')),
  session_id     uuid not null references sessions on delete cascade,
  user_id        uuid not null references users,
  account_id     uuid not null references accounts,
  gateway_id     uuid not null,
  source_address text,
  expires_at     timestamptz not null,
  used_at        timestamptz
);
create index session_tickets_by_end on session_tickets (expires_at);
create index session_tickets_by_session on session_tickets (session_id);

create table recordings (
  id              uuid primary key,
  session_id      uuid not null unique references sessions,
  storage         text not null check (storage in ('folder')),
  -- Where it is in its storage.
  path            text not null,
  -- Broken: it ended without a closing record.
  status          text not null default 'open' check (status in ('open', 'closed', 'broken')),
  bytes           bigint not null default 0,
  chunks          integer not null default 0,
  duration_ms     bigint not null default 0,
  -- Output that was accepted and could not be stored.
  unstored_bytes  bigint not null default 0,
  started_at      timestamptz not null,
  closed_at       timestamptz,
  retention_until timestamptz,
  legal_hold      boolean not null default false,
  check ((status = 'open') = (closed_at is null))
);
create index recordings_by_start on recordings (started_at);

create table recording_chunks (
  recording_id uuid not null references recordings on delete cascade,
  number       integer not null,
  file_offset  bigint not null,
  bytes        integer not null,
  -- SHA-256 over this chunk and, by chaining, every earlier one.
  digest       bytea not null check (length(digest) = 32),
  -- The times of its first and last event, in milliseconds since the start.
  from_ms      bigint not null,
  to_ms        bigint not null,
  primary key (recording_id, number)
);

-- Gateways check the rights of their live sessions again when anything that decides them changes, whoever changed it.
-- Without a live session nobody listens, and a notification would only slow down the commit.
create function recheck_sessions() returns trigger language plpgsql as $$
begin
  if exists (select from sessions where status <> 'completed') then
    perform pg_notify('session_recheck', '');
  end if;
  return null;
end $$;

create trigger users_recheck_sessions after update of status, role or delete on users
  for each statement execute function recheck_sessions();
create trigger safe_members_recheck_sessions after update or delete on safe_members
  for each statement execute function recheck_sessions();
create trigger group_members_recheck_sessions after update or delete on group_members
  for each statement execute function recheck_sessions();
create trigger safes_recheck_sessions after update of status, access_level, owner_id, deleted_at on safes
  for each statement execute function recheck_sessions();
create trigger credentials_recheck_sessions after update of safe_id, deleted_at on credentials
  for each statement execute function recheck_sessions();
create trigger accounts_recheck_sessions after update of status, platform_id on accounts
  for each statement execute function recheck_sessions();
create trigger platforms_recheck_sessions after update of approvals_level_1, approvals_level_2 on platforms
  for each statement execute function recheck_sessions();
create trigger access_requests_recheck_sessions after update of state, starts_at, ends_at on access_requests
  for each statement execute function recheck_sessions();
create trigger check_outs_recheck_sessions after update or delete on account_check_outs
  for each statement execute function recheck_sessions();
create trigger tokens_recheck_sessions after update of revoked_at, suspended_at or delete on tokens
  for each statement execute function recheck_sessions();
create trigger sessions_recheck_sessions after update of terminated_at, ends_at on sessions
  for each statement execute function recheck_sessions();
