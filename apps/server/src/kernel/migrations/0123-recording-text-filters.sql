-- A sealed filter of each part of a recording's text: which groups of three characters it contains. A search opens only
-- the texts whose filter contains every group of the searched text.
alter table recording_text add column filter bytea;
alter table recording_text alter column filter set storage external;
create index recording_text_without_filter on recording_text (recording_id, part) where filter is null and kind = 'lines';
