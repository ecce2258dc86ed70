-- Long texts are looked up by pieces of five characters: numbered names have pieces of three characters in common with a
-- thousand others.
drop index discovered_accounts_by_text;
create or replace function discovery_text_keys(text text) returns integer[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtext(piece)), '{}') from (
    select substr(text, at, size) as piece
    from unnest(array[2, 3, 5]) size, generate_series(1, length(text)) at
    where at + size - 1 <= length(text)
  ) pieces
$$;
-- The hashes that a search looks up. Short pieces are in too many texts to help where there are longer ones.
create or replace function discovery_search_keys(text text) returns integer[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtext(substr(text, at, size))), '{}')
  from (select case when length(text) >= 5 then 5 else least(length(text), 3) end as size) longest,
    generate_series(1, length(text)) at
  where at + size - 1 <= length(text)
$$;
create index discovered_accounts_by_text on discovered_accounts
  using gin (discovery_text_keys(lower(account_name || chr(10) || hostname))) with (fastupdate = off);
