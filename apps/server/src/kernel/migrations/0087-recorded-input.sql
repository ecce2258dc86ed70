-- What users type in terminals is recorded too.
alter table platforms add column session_records_input boolean not null default false;
