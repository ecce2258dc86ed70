-- Native SSH clients: the host key of the gateways, and the public keys with which users sign in to them.

-- All gateways of an installation have the same host key, so that clients can trust it once.
create table gateway_host_keys (
  id         uuid primary key,
  -- The private key (PKCS #8), sealed. The public key is only ever derived from it.
  sealed     bytea not null,
  created_at timestamptz not null
);
create unique index gateway_host_keys_single on gateway_host_keys ((true));

create table ssh_keys (
  id           uuid primary key,
  user_id      uuid not null references users,
  name         text not null,
  -- The algorithm and the base64 text, as in an authorized_keys file.
  public_key   text not null,
  -- `SHA256:` and the base64 digest, as ssh-keygen prints it. A key belongs to one user.
  fingerprint  text not null unique,
  created_at   timestamptz not null,
  last_used_at timestamptz
);
create index ssh_keys_by_user on ssh_keys (user_id);
