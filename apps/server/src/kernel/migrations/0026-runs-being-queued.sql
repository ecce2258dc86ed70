-- When somebody was last seen queueing a run of rotations; null: all that it will ever hold is queued. Only a run that is being
-- queued can be forsaken: the others end with the last of what they hold, however long that waits.
alter table rotation_runs add column queueing_at timestamptz;
update rotation_runs set queueing_at = started_at where status = 'running';
