-- What terminals showed in recorded sessions, for search: sealed, so the database learns sizes and times only (decision 0053).

alter table recordings
  -- Partial: the rest of the recording could not be read or took too long.
  add column text_status text not null default 'waiting' check (text_status in ('waiting', 'indexed', 'partial'));
create index recordings_to_index on recordings (closed_at) where text_status = 'waiting' and status <> 'open';

create table recording_text (
  recording_id uuid not null references recordings on delete cascade,
  kind         text not null check (kind in ('lines', 'marks')),
  part         integer not null,
  -- The key of the recordings of the session's safe.
  kek_id       uuid not null,
  sealed       bytea not null,
  primary key (recording_id, kind, part)
);
