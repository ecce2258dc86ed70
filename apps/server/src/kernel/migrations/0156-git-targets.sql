-- Git servers as targets of enhanced scans.
alter table discovery_targets drop constraint discovery_targets_target_type_check;
alter table discovery_targets add constraint discovery_targets_target_type_check
  check (target_type in ('linux', 'windows', 'database', 'aws', 'active_directory', 'git'));
