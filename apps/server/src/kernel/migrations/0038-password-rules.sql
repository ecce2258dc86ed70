-- Managers and administrators choose longer passwords.

alter table sign_in_policy add column privileged_password_min_length integer not null default 12
  check (privileged_password_min_length between 8 and 128);
-- An installation that asked everybody for more keeps that.
update sign_in_policy set privileged_password_min_length = greatest(12, password_min_length);
