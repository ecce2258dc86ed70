-- What a sign-in, a token and a reset have to remember so that nothing stays open that should have closed.

-- Whether the provider said at this person's last sign-in that a second factor was used. Who was let in by a provider that
-- says so is taken to have one until the next sign-in tells.
alter table identity_provider_people add column has_second_factor boolean not null default false;
update identity_provider_people set has_second_factor = true
where provider_id in (
  select id from identity_providers
  where kind = 'oidc' and is_enabled and jsonb_array_length(coalesce(settings -> 'factor_values', '[]')) > 0
);

-- An account that is to be taken over: bound to the provider once every proof is there, not before.
alter table sign_in_pending
  add column claim_provider_id uuid references identity_providers on delete cascade,
  add column claim_subject     text,
  add column claim_role        text check (claim_role in ('user', 'manager', 'admin')),
  add check ((claim_provider_id is null) = (claim_subject is null));

-- The token that made this one: revoked together. Nothing is known of those that are there.
alter table tokens
  add column made_by   uuid references tokens on delete set null,
  -- The last notice of its end was told so many days before it.
  add column told_days smallint,
  -- The end that was told then: after a change of the policy there is another one to tell.
  add column told_end  timestamptz;
create index tokens_by_maker on tokens (made_by) where made_by is not null;

-- Mails since the last time that a whole day passed without one: each waits longer than the one before.
alter table sign_in_resets add column mails_sent integer not null default 0;

-- Also with when it was last verified, for the dashboard.
drop index credentials_of_safes_by_state;
create index credentials_of_safes_by_state on credentials (safe_id, verification_status)
  include (last_verification_attempt, verified_at, id) where deleted_at is null and safe_id is not null;

-- How far back the last use of its memberships was looked up: ninety days, and retrievals only, before this edition.
alter table access_reviews add column use_days integer not null default 90;
alter table access_reviews alter column use_days set default 365;
