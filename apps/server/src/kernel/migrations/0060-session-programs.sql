-- What users may run in sessions on the accounts of a platform.
alter table platforms
  add column session_allows_shell boolean not null default true,
  -- A single command, as in `ssh host command`.
  add column session_allows_exec boolean not null default true,
  add column session_allows_sftp boolean not null default true;
