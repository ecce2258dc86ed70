-- Reports that users generated, their files, and schedules.
create table report_schedules (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  cadence text not null check (cadence in ('daily', 'weekly', 'monthly')),
  report_type text not null check (report_type in ('risk_assessment')),
  target_ids uuid[] not null,
  timeframe text not null check (timeframe in ('7d', '30d', '90d')),
  include_remediation boolean not null,
  next_at timestamptz not null,
  created_at timestamptz not null
);
create index report_schedules_by_time on report_schedules (next_at);
create index report_schedules_of_user on report_schedules (user_id);

create table reports (
  -- The id of the background job, too.
  id uuid primary key,
  -- The only user who can read the report.
  user_id uuid not null references users (id) on delete cascade,
  schedule_id uuid references report_schedules (id) on delete set null,
  report_type text not null check (report_type in ('risk_assessment')),
  target_ids uuid[] not null,
  timeframe text not null check (timeframe in ('7d', '30d', '90d')),
  include_remediation boolean not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  -- Percent.
  progress integer not null default 0 check (progress between 0 and 100),
  created_at timestamptz not null,
  completed_at timestamptz,
  expires_at timestamptz not null,
  error_message text
);
create index reports_of_user on reports (user_id, created_at desc, id desc);
create index reports_by_end on reports (expires_at);
create index reports_of_schedule on reports (schedule_id) where schedule_id is not null;

create table report_files (
  report_id uuid not null references reports (id) on delete cascade,
  format text not null check (format in ('pdf', 'xlsx', 'json')),
  content bytea not null,
  sha256 bytea not null check (length(sha256) = 32),
  primary key (report_id, format)
);
