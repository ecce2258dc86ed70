-- Other places that know who somebody is, and who signs in through them.

create table identity_providers (
  id              uuid primary key,
  kind            text not null check (kind in ('oidc', 'ldap')),
  name            text not null unique,
  is_enabled      boolean not null,
  creates_people  boolean not null,
  links_by_email  boolean not null,
  without_group   text not null check (without_group in ('refuse', 'user')),
  -- [{ "group": …, "role": … }]; a provider has few, and they are read and written together.
  role_mappings   jsonb not null,
  domains         text[] not null,
  -- What its kind needs, as the contract says; nothing secret.
  settings        jsonb not null,
  -- The client secret, or the password of who searches, under the KEK of "identity-providers".
  sealed_secret   bytea,
  secret_version  integer not null default 1,
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);

-- Whom a provider calls `subject` is this person, whatever their address becomes. A person has one provider at most.
create table identity_provider_people (
  provider_id uuid not null references identity_providers on delete cascade,
  subject     text not null,
  user_id     uuid not null unique references users,
  bound_at    timestamptz not null,
  primary key (provider_id, subject)
);

-- Sign-ins under way with an OpenID Connect provider. A row goes when it is used. All that it checks is derived from the
-- secret in the browser's cookie, of which the SHA-256 stands here.
create table identity_provider_flows (
  secret_hash bytea primary key,
  provider_id uuid not null references identity_providers on delete cascade,
  return_to   text not null,
  is_remembered boolean not null,
  expires_at  timestamptz not null
);
create index identity_provider_flows_by_expiry on identity_provider_flows (expires_at);
