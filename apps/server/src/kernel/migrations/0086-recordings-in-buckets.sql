-- Recordings can be in a bucket of an S3-compatible object store (decision 0064).
alter table recordings drop constraint recordings_storage_check, add check (storage in ('folder', 's3'));
