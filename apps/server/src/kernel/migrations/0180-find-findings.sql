-- Finds findings by parts of their path, setting and user name, and those of one assignee, at a cost that does not grow
-- with their number.
create index findings_by_text on findings
  using gin (discovery_text_keys(lower(path || chr(10) || coalesce(key_name, '') || chr(10) || coalesce(username, ''))))
  with (fastupdate = off);
create index findings_of_assignee on findings (assignee_id, risk_score desc, id desc) where assignee_id is not null;
