-- Azure and Google Cloud as targets of discovery.
alter table discovery_targets drop constraint discovery_targets_target_type_check;
alter table discovery_targets add constraint discovery_targets_target_type_check
  check (target_type in ('linux', 'windows', 'database', 'aws', 'azure', 'gcp', 'active_directory', 'git'));
alter table discovery_cloud_resources drop constraint discovery_cloud_resources_provider_check;
alter table discovery_cloud_resources add constraint discovery_cloud_resources_provider_check
  check (provider in ('aws', 'azure', 'gcp'));
alter table discovery_cloud_resources drop constraint discovery_cloud_resources_kind_check;
alter table discovery_cloud_resources add constraint discovery_cloud_resources_kind_check
  check (kind in ('iam_user', 'service_account', 'access_key', 'iam_role', 'secret', 'parameter'));
