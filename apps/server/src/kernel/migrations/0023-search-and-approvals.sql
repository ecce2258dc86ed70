-- Global search: accounts and a person's credentials by the beginning of their names. A part of the text, in byte order, so
-- that no name is too long for the index and an exact name comes first (it is followed by a line break).
create index credentials_by_name on credentials (user_id, (left(search_text, 120) collate "C")) where deleted_at is null;

-- A notice that tells nobody anything new, but what came of what they were told under the same key.
alter table notices add column settles boolean not null default false;
