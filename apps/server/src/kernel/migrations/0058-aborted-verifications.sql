-- Attempts that Strongroom did not finish get an outcome of their own. They counted as unreachable targets.
alter table verification_attempts drop constraint verification_attempts_outcome_check;
update verification_attempts set outcome = 'aborted'
  where outcome = 'unreachable' and code in ('internal-error', 'interrupted', 'cancelled', 'deleted');
alter table verification_attempts add constraint verification_attempts_outcome_check
  check (outcome in ('verified', 'rejected', 'unreachable', 'misconfigured', 'unsupported', 'aborted'));
