-- Only gateways of this zone open sessions on the accounts of a safe; null: every gateway that the platform allows.
alter table safes add column session_zone text;
