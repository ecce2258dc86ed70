-- Finds discovered accounts by parts of their names and hosts at a cost that does not grow with their number.

-- Hashes of every piece of two and three characters. A text that contains another one has all of its hashes, and
-- perhaps others that happen to be equal, so each row that is found is still compared.
create function discovery_text_keys(text text) returns integer[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtext(piece)), '{}') from (
    select substr(text, at, size) as piece
    from generate_series(2, 3) size, generate_series(1, length(text)) at
    where at + size - 1 <= length(text)
  ) pieces
$$;
-- The hashes that a search looks up. Short pieces are in too many texts to help where there are longer ones.
create function discovery_search_keys(text text) returns integer[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtext(substr(text, at, size))), '{}')
  from (select least(length(text), 3) as size) longest, generate_series(1, length(text)) at
  where at + size - 1 <= length(text)
$$;
create index discovered_accounts_by_text on discovered_accounts
  using gin (discovery_text_keys(lower(account_name || chr(10) || hostname))) with (fastupdate = off);

-- Also for accounts that no scan finds any more: a filter shows those that a safe contains.
drop index discovered_accounts_by_host;
create index discovered_accounts_by_host on discovered_accounts (lower(hostname), lower(account_name));
create index discovered_accounts_by_system on discovered_accounts (system_type, discovered_at desc, id desc);
create index discovered_accounts_by_privilege_kind on discovered_accounts (privilege, discovered_at desc, id desc)
  where privilege is not null;
create index discovered_accounts_missing on discovered_accounts (discovered_at desc, id desc)
  where missing_since is not null;
create index discovered_accounts_returned on discovered_accounts (discovered_at desc, id desc)
  where status = 'pending_approval' and rejection_reason is not null;
