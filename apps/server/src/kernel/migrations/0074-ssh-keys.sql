-- Users sign in to the session gateway with their own SSH keys. Nothing was stored in `ssh_keys` before.
alter table ssh_keys
  add column expires_at     timestamptz not null,
  add column last_used_from text,
  -- When the owner was notified that the key expires soon.
  add column notified_at    timestamptz;

-- The sign-ins of a key end with it.
alter table sign_in_sessions add column ssh_key_id uuid references ssh_keys on delete cascade;
create index sign_in_sessions_by_ssh_key on sign_in_sessions (ssh_key_id) where ssh_key_id is not null;
alter table sign_in_pending add column ssh_key_id uuid references ssh_keys on delete cascade;
create index sign_in_pending_by_ssh_key on sign_in_pending (ssh_key_id) where ssh_key_id is not null;

-- The key that a session was started with; the session outlives the row of the key, and ends because it is gone.
alter table sessions add column ssh_key_id uuid;
create trigger ssh_keys_recheck_sessions after update of expires_at or delete on ssh_keys
  for each statement execute function recheck_sessions();

-- Restores also count the SSH keys they deleted.
update admin_restores set ended = '{"ssh_keys": 0}'::jsonb || ended;
