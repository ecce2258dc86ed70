-- Agent forwarding: the target may use the keys of the user's own SSH agent while a session is live.
alter table platforms add column session_allows_agent boolean not null default false;
alter table sessions add column forwards_agent boolean not null default false;

create trigger platforms_recheck_session_agents after update of session_allows_agent on platforms
  for each statement execute function recheck_sessions();
