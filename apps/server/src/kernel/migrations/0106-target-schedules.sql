-- Scheduled scans, changed host keys that wait for a decision, and the network of each target.
alter table discovery_targets
  add column schedule jsonb,
  -- Null without a schedule.
  add column next_scan_at timestamptz,
  -- The key that the host presented instead of the pinned one.
  add column offered_host_key jsonb,
  -- The /24 of an IPv4 address, or the domain of a name: scans of one network at once are limited.
  add column network text not null generated always as (
    case when hostname ~ '^\d+\.\d+\.\d+\.\d+$' then regexp_replace(hostname, '\.\d+$', '')
      else lower(regexp_replace(hostname, '^[^.]+\.', '')) end
  ) stored;
create index discovery_targets_due on discovery_targets (next_scan_at) where is_active and next_scan_at is not null;

alter table discovery_scans
  -- A scheduled scan only starts within the window of its schedule.
  add column is_scheduled boolean not null default false,
  -- SCAN-04: the commands and queries of the scan.
  add column commands jsonb not null default '[]',
  -- Why a completed scan is incomplete.
  add column incomplete_reason text;
create index discovery_scans_running on discovery_scans (target_id) where status = 'running';
