-- Finds findings by words of their path, setting and user name, and those of one assignee, at a cost that does not grow
-- with their number.

-- Words are separated by everything in ASCII that is neither a letter nor a digit; `dbPassword` is also two words. The search
-- separates its words in the same way.
create function finding_words(path text, key_name text, username text)
returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(coalesce(array_agg(distinct left(word, 100)), '{}'))
  from regexp_split_to_table(
    lower(path || ' ' || coalesce(username, '') || ' '
      || coalesce(key_name || ' ' || regexp_replace(key_name, '([a-z0-9])([A-Z])', '\1 \2', 'g'), '')),
    '[\u0001-\u0020!-/:-@\[-`{-\u007f]+') word
  where word <> ''
$$;
create index findings_by_word on findings using gin (finding_words(path, key_name, username)) with (fastupdate = off);
create index findings_of_assignee on findings (assignee_id, risk_score desc, id desc) where assignee_id is not null;

-- The list reads only this index, without the rows of the table.
drop index findings_by_status;
create index findings_by_status on findings (status, finding_type, risk_score desc, id desc)
  include (target_id, is_below_threshold);
