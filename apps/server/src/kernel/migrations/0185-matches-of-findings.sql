-- A finding that matches a stored secret is shown only to users who may retrieve that account; others see the finding as
-- a scan without the match would report it. See docs/decisions/0093-comparing-secrets.md.
alter table findings
  -- The account whose secret was found. Null for a finding that does not depend on a stored secret. Not a foreign key: when
  -- the account is deleted, the match must not become visible.
  add column match_account_id uuid,
  -- Users who may retrieve one of these accounts see a match instead of this finding. Null for nearly all findings.
  add column hidden_from uuid[];

-- Scans recorded these findings as matches, unless vaulting stored their secret as a new account.
create temporary table matches on commit drop as
  select f.id, f.target_id, f.path_key, coalesce(f.account_id, gen_random_uuid()) as account_id, f.fixed_scan_id
  from findings f
  where (f.class = 'known_secret' or f.account_id is not null) and not exists (
    select from finding_fixes fix where fix.finding_id = f.id and fix.undone_at is null and fix.is_new_account
      and fix.account_id = f.account_id);
update findings set match_account_id = matches.account_id, identity = findings.identity || '+' || matches.account_id
  from matches where matches.id = findings.id;
-- The next scan reads their files again, and records what users without the right see.
delete from scan_files using matches
  where scan_files.target_id = matches.target_id and scan_files.path_key = matches.path_key and matches.fixed_scan_id is null;

create index findings_with_match on findings (match_account_id)
  where match_account_id is not null or hidden_from is not null;

-- Lists and counts read only these indexes, without the rows of the table.
drop index findings_by_status;
create index findings_by_status on findings (status, finding_type, risk_score desc, id desc)
  include (target_id, is_below_threshold, match_account_id, hidden_from);
drop index findings_by_score;
create index findings_by_score on findings (target_id, risk_score desc, id desc)
  include (status, finding_type, is_below_threshold, match_account_id, hidden_from);

-- The totals of a scan count what users without any matched account see. This is what matches change, by account.
alter table scans add column matches jsonb not null default '[]';

-- A rule for the class of a match is shown only to users who may retrieve its account.
alter table finding_rules add column match_account_id uuid;
