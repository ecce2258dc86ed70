-- Restores also count the admin resets they expired and the closed vaults whose waiting time they restarted.
update admin_restores set ended = '{"admin_resets": 0, "closures": 0}'::jsonb || ended;
