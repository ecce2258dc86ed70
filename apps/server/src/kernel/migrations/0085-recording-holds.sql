-- When the last legal hold of a recording was released: its deletion waits a week from then on (decision 0063).
alter table recordings add column hold_released_at timestamptz;
create index recordings_held on recordings (held_at) where held_at is not null;
