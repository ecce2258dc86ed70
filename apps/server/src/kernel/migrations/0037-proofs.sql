-- Proofs of identity: which TOTP steps were used, step-up through an identity provider, and sign-out at the provider.

-- The last steps whose codes were accepted, oldest first. A single "last step" blocked every correct code after the server's
-- clock had been ahead.
alter table factors add column used_steps bigint[] not null default '{}';
update factors set used_steps = array[last_step] where last_step is not null;
alter table factors drop column last_step;

alter table identity_provider_flows
  -- Set for a step-up: the open session that asked for it.
  add column session_id        uuid references sign_in_sessions on delete cascade,
  -- The provider was asked to authenticate the person again (prompt=login, max_age=0).
  add column must_authenticate boolean not null default false;
create index identity_provider_flows_by_session on identity_provider_flows (session_id) where session_id is not null;

-- When the person last signed out here. An authentication at the provider from before then opens no new session.
alter table identity_provider_people add column signed_out_at timestamptz;
