-- Vaults that are closed because somebody else than their owner reset how the owner signs in.

create table vault_closures (
  user_id     uuid primary key references users,
  -- The first reset since the vault was open: only a factor from before it proves the owner.
  closed_at   timestamptz not null,
  -- Null: the owner said that the reset was not theirs; it stays closed.
  opens_at    timestamptz,
  cause       text not null check (cause in ('reset-link', 'factors-reset', 'provider-changed')),
  closed_by   text not null,
  -- SHA-256 of the token in the mail that told the owner.
  cancel_hash bytea unique,
  mailed_at   timestamptz
);
create index vault_closures_by_end on vault_closures (opens_at);

alter table sign_in_policy
  add column vault_wait_hours integer not null default 72 check (vault_wait_hours between 24 and 720);

-- Who made a link, where it was not the person's own request by mail.
alter table sign_in_resets add column made_by text;
update sign_in_resets set made_by = 'An administrator' where token_hash is not null and mailed_at is null;

-- When recovery codes were made: those from after a reset prove nothing of who was there before it.
alter table factor_recovery_codes add column created_at timestamptz not null default '-infinity';
alter table factor_recovery_codes alter column created_at drop default;
