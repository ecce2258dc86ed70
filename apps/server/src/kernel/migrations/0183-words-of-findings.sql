-- Stores the words of findings: a search for a common text reads many rows, and would split their texts again for each.
drop index findings_by_word;
alter table findings add column words tsvector not null generated always as (finding_words(path, key_name, username)) stored;
create index findings_by_word on findings using gin (words) with (fastupdate = off);
