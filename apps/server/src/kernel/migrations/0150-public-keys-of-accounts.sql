-- The fingerprint of the public half of an account's SSH key, by which scans of hosts recognise the logins that trust it.
alter table known_secrets add column public_key text;
create index known_secrets_by_public_key on known_secrets (public_key) where public_key is not null;
-- The index is made again from the stored secrets.
delete from known_secrets;
