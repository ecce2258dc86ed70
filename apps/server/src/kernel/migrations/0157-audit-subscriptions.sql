-- Subscriptions to saved views of the audit trail.
create table audit_subscriptions (
  user_id    uuid not null references users on delete cascade,
  view_id    uuid not null references saved_views on delete cascade,
  cadence    text not null check (cadence in ('minute', 'hourly', 'daily')),
  -- The order of the newest entry that a check has covered.
  seen_seq   bigint not null,
  problem    text,
  next_at    timestamptz not null,
  created_at timestamptz not null,
  primary key (user_id, view_id)
);
create index audit_subscriptions_by_time on audit_subscriptions (next_at);
create index audit_subscriptions_of_view on audit_subscriptions (view_id);
