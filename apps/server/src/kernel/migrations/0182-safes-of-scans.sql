-- The safes whose secrets a scan compares, as its API token allowed: empty for a token that retrieves no secret, null without a limit.
alter table scans add column requester_safes uuid[];
