-- The steps of the setup checklist that administrators have dismissed. Whether a step is done is computed, never stored.
create table setup_steps_dismissed (
  step text primary key,
  at   timestamptz not null
);
