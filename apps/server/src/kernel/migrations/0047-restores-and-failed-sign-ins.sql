-- Restores also count the recovery codes they deleted and the approvals they removed from pending requests.
update admin_restores set ended = '{"recovery_codes": 0, "approvals": 0}'::jsonb || ended;

-- When administrators were last notified about many failed sign-ins from a network.
create table sign_in_alerts (
  network text primary key,
  told_at timestamptz not null
);
