-- What contradicts the audit trail, until an administrator decides; and a MAC for each entry that waits for its place.

create table audit_contradictions (
  id              uuid primary key,
  -- SHA-256 over what is contradicted: the same contradiction is recorded once.
  fingerprint     bytea not null unique check (length(fingerprint) = 32),
  source          text not null,
  subject         text not null,
  -- Nothing is signed while one of these is open.
  is_stopping     boolean not null,
  kind            text not null,
  leaf_index      bigint,
  message         text not null,
  -- The signed checkpoint that the database does not continue, and the newest one that is in the database.
  known_note      text,
  stored_note     text,
  found_at        timestamptz not null,
  accepted_at     timestamptz,
  accepted_by     text,
  reason          text,
  -- The checkpoint from which the log goes on, and an HMAC over the decision: the database's owner cannot decide.
  base_note       text,
  mac             bytea
);

-- HMAC-SHA-256 over the entry, and the name of its key: `vault`, or a key file in one data folder.
alter table audit_pending add column mac bytea;
alter table audit_pending add column mac_key text;

-- Entries whose MAC is missing or wrong: kept, and not signed.
create table audit_quarantine (
  entry_id uuid primary key,
  mac      bytea,
  mac_key  text,
  reason   text not null,
  found_at timestamptz not null
);
