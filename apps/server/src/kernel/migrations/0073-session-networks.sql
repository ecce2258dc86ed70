-- A live session ends when its user's or token's networks exclude its address, and when a policy shortens its token.
create trigger sign_in_policy_recheck_sessions after update on sign_in_policy
  for each statement execute function recheck_sessions();
create trigger token_policy_recheck_sessions after update on token_policy
  for each statement execute function recheck_sessions();
create trigger tokens_recheck_networks after update of networks, expires_at on tokens
  for each statement execute function recheck_sessions();

-- Counts the open sessions of a user.
create index sessions_open_of_user on sessions (user_id) where status <> 'completed';
