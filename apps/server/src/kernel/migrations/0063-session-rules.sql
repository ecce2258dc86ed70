-- Rules of a platform for sessions on its accounts.
alter table platforms
  -- A session ends when its user has typed nothing for this long; null: never.
  add column session_idle_minutes integer check (session_idle_minutes between 1 and 1440),
  -- Nothing moves in a session unless another user watches it.
  add column session_needs_watcher boolean not null default false,
  -- Users do not see that their session is watched.
  add column session_hides_watchers boolean not null default false,
  -- Only gateways of this zone open sessions; null: every gateway.
  add column session_zone text,
  -- The hours of the day, UTC, Monday to Friday, outside of which a session is a risk; null: none.
  add column session_from_hour integer check (session_from_hour between 0 and 23),
  add column session_to_hour integer check (session_to_hour between 0 and 23),
  add column is_production boolean not null default false,
  add check ((session_from_hour is null) = (session_to_hour is null)),
  add check (session_from_hour <> session_to_hour);

-- The user whose *Pause Input* is in effect.
alter table sessions add column input_paused_by uuid references users;

create trigger sessions_recheck_pauses after update of input_paused_by on sessions
  for each statement execute function recheck_sessions();
