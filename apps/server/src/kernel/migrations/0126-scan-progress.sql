-- How far a running scan is; null before it starts and after it ends.
alter table discovery_scans
  add column phase text check (phase in ('waiting', 'listing', 'storing')),
  add column accounts_so_far integer;
