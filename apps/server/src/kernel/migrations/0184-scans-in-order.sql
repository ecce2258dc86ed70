-- The lists of basic and enhanced scans sorted by start, status, duration or result read a page from an index, instead of
-- sorting all scans. The expressions are those of the two files `scan-order.ts`.
create index discovery_scans_by_start on discovery_scans (coalesce(started_at, created_at), id);
create index discovery_scans_by_status on discovery_scans (status collate "C", id);
create index discovery_scans_by_duration on discovery_scans (
  (lpad((coalesce((extract(epoch from completed_at - started_at) * 1000)::bigint, -1) + 1)::text, 12, '0') collate "C"), id);
create index discovery_scans_by_accounts
  on discovery_scans ((lpad((coalesce(accounts_discovered, -1) + 1)::text, 12, '0') collate "C"), id);

create index scans_by_start on scans (coalesce(started_at, created_at), id);
create index scans_by_status on scans (status collate "C", id);
create index scans_by_duration on scans (
  (lpad((coalesce((extract(epoch from completed_at - started_at) * 1000)::bigint, -1) + 1)::text, 12, '0') collate "C"), id);
create index scans_by_findings on scans ((lpad((coalesce(findings_discovered, -1) + 1)::text, 12, '0') collate "C"), id);
