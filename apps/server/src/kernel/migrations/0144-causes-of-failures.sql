-- Why the last verification failed, so that failures are grouped by cause. Null without a failure, or without a code.
alter table credentials add column verification_code text;
update credentials set verification_code = (
  select attempt.code from verification_attempts attempt
  where attempt.credential_id = credentials.id and not attempt.is_outdated
    and attempt.outcome = credentials.verification_status
  order by attempt.started_at desc, attempt.id desc limit 1)
where deleted_at is null and verification_status in ('rejected', 'unreachable', 'misconfigured');

-- The trend of rotations reads the last days from here.
create index rotations_by_end on rotations (ended_at) include (credential_id, outcome) where ended_at is not null;
