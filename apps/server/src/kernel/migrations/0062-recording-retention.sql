-- How long recordings are kept, legal holds, and what stays of a deleted recording (decision 0057).

alter table platforms
  -- Days after the end of a session until its recording is deleted; null: never.
  add column session_recording_days integer check (session_recording_days between 1 and 36500);

alter table recordings
  -- They had no function.
  drop column retention_until,
  drop column legal_hold,
  -- A legal hold: nothing deletes the recording.
  add column held_at timestamptz,
  add column held_by text,
  add column held_why text,
  -- The digest of the last chunk when the recording was closed.
  add column last_chunk integer,
  add column last_digest bytea check (length(last_digest) = 32),
  -- From here on the recording cannot be played, held or kept. The platform kept it for this many days.
  add column deletion_began_at timestamptz,
  add column deletion_days integer,
  add column deleted_at timestamptz,
  add check ((held_at is null) = (held_by is null) and (held_at is null) = (held_why is null)),
  add check ((last_chunk is null) = (last_digest is null)),
  add check (held_at is null or deletion_began_at is null),
  add check (deleted_at is null or deletion_began_at is not null),
  add check ((deletion_began_at is null) = (deletion_days is null));

update recordings set last_chunk = last.number, last_digest = last.digest
from (select distinct on (recording_id) recording_id, number, digest from recording_chunks order by recording_id, number desc) last
where last.recording_id = recordings.id and recordings.status <> 'open' and recordings.chunks = last.number + 1;

create index recordings_to_delete on recordings (closed_at) where deleted_at is null and status <> 'open';
create index recordings_deleted on recordings (deleted_at) where deleted_at is not null;
