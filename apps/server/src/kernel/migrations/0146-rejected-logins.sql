-- The login of an attempt: host, port and user name in lower case. Rejected ones are counted before the next attempt.
alter table verification_attempts add column login text;
create index verification_attempts_rejected on verification_attempts (login, started_at) where outcome = 'rejected';
