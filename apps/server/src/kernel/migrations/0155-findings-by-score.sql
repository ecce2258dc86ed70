-- Findings in a range of risk scores are counted in this index alone, without reading their rows.
create index findings_by_score on findings (target_id, risk_score desc, id desc)
  include (status, finding_type, is_below_threshold);
drop index findings_of_target;
