-- Where the audit trail goes beside the database, and the logs of others that this Strongroom is a witness of.

create table audit_sinks (
  id              uuid primary key,
  name            text not null,
  content         text not null check (content in ('entries', 'checkpoints')),
  format          text not null check (format in ('json', 'rfc5424', 'cef', 'ocsf')),
  -- Of checkpoints: between two at least.
  every_seconds   integer not null,
  -- Where it is, by kind; no secrets.
  config          jsonb not null,
  -- JSON of what must stay secret, sealed under the KEK of "audit-sinks"; null when there is nothing. The names of what is
  -- in it stand beside it.
  sealed_secrets  bytea,
  secret_names    text[] not null,
  is_enabled      boolean not null,
  -- Counted up with each change: whoever delivers by an older one stops.
  revision        integer not null default 1,
  -- Leaf index of the next entry, or the size of the newest checkpoint that was delivered.
  cursor          bigint not null check (cursor >= 0),
  -- Where delivery begins again after a break: what was sent just before it may have been lost on the other side.
  settled         bigint not null check (settled >= 0),
  delivered       bigint not null default 0,
  failures        integer not null default 0,
  last_success_at timestamptz,
  last_error      text,
  last_error_at   timestamptz,
  retry_at        timestamptz,
  -- Of a witness: the newest checkpoint with its cosignature.
  cosigned        text,
  -- The process that delivers, and until when nobody else does.
  lease_by        uuid,
  lease_until     timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);
create unique index audit_sinks_by_name on audit_sinks (lower(name));

-- This Strongroom as a witness: its name and the Ed25519 seed that cosigns, sealed under the KEK of "audit-witness".
create table audit_witness (
  is_only     boolean primary key default true check (is_only),
  name        text not null,
  sealed_seed bytea not null,
  created_at  timestamptz not null
);

create table audit_witnessed_logs (
  id             uuid primary key,
  name           text not null,
  origin         text not null unique,
  verifier_key   text not null,
  size           bigint not null default 0 check (size >= 0),
  -- The newest checkpoint that was cosigned, as its log signed it.
  note           text,
  cosigned_at    timestamptz,
  -- The last one that was signed by the log and did not continue it.
  refused_note   text,
  refused_reason text,
  refused_at     timestamptz,
  created_at     timestamptz not null
);
