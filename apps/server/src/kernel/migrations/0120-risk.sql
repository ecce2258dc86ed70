-- The score of the whole installation on each day, for the trend.
create table risk_snapshots (
  day date primary key,
  score integer not null check (score between 0 and 100),
  -- The score of each factor.
  factors jsonb not null,
  taken_at timestamptz not null
);
