-- The row that health checks write to. Half of its page stays free, so that each update is a HOT update: it needs no index
-- entry, and the next one removes what it leaves behind.
create table health_probe (
  id smallint primary key check (id = 1),
  written_at timestamptz not null
) with (fillfactor = 50);
insert into health_probe values (1, now());
