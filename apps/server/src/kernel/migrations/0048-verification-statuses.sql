-- A failing secret says why: its target rejected it, could not be reached, or its settings allow no login.
drop index credentials_failing;
drop index credentials_failing_by_age;
alter table credentials drop constraint credentials_verification_status_check;
update credentials set verification_status = coalesce(
  (select outcome from verification_attempts attempt
   where attempt.credential_id = credentials.id and not attempt.is_outdated
     and attempt.outcome in ('rejected', 'unreachable', 'misconfigured')
     and coalesce(attempt.code, '') not in ('interrupted', 'cancelled')
   order by attempt.started_at desc, attempt.id desc limit 1),
  case when rejected_revision = login_revision then 'rejected' else 'unreachable' end)
where verification_status = 'failed';
alter table credentials add constraint credentials_verification_status_check
  check (verification_status in ('verified', 'rejected', 'unreachable', 'misconfigured', 'pending'));

-- What needs a person, in the order in which it is shown; written to for failures only.
create index credentials_failing on credentials (user_id, (offered_host_key is not null) desc,
  (rejected_revision is not distinct from login_revision) desc, last_verification_attempt desc)
  where deleted_at is null and verification_status in ('rejected', 'unreachable', 'misconfigured');
-- What fails, latest first.
create index credentials_failing_by_age on credentials (last_verification_attempt desc, id desc)
  where deleted_at is null and verification_status in ('rejected', 'unreachable', 'misconfigured');

-- Also with when it is verified next: a pending secret that waits for nothing is untested.
drop index credentials_by_verification;
create index credentials_by_verification on credentials (user_id, verification_status, last_verification_attempt)
  include (verified_at, verify_after) where deleted_at is null;
drop index credentials_of_safes_by_state;
create index credentials_of_safes_by_state on credentials (safe_id, verification_status)
  include (last_verification_attempt, verified_at, verify_after, id) where deleted_at is null and safe_id is not null;

-- The failures of a day that were rejections.
alter table validation_days add column rejections integer not null default 0;
update validation_days summed set rejections = counted.rejections
from (
  select (attempt.started_at at time zone 'UTC')::date as day, credentials.safe_id, credentials.user_id,
    coalesce(accounts.system_type, attempt.type) as system_type, count(*) as rejections
  from verification_attempts attempt
  join credentials on credentials.id = attempt.credential_id
  left join accounts on accounts.id = credentials.id
  where attempt.outcome = 'rejected'
  group by 1, 2, 3, 4
) counted
where summed.day = counted.day and summed.safe_id is not distinct from counted.safe_id
  and summed.user_id is not distinct from counted.user_id and summed.system_type = counted.system_type;
