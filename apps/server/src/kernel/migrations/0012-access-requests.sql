-- Just-in-time access: what was asked for, who decided, what was lent, and when it ended.

create table access_requests (
  id                  uuid primary key,
  user_id             uuid not null references users,
  -- Null: written in free text and not mapped yet.
  account_id          uuid references accounts,
  -- The grant holds although its owner is no member: an administrator mapped the free text.
  is_mapped           boolean not null default false,
  resource            text not null,
  system              text,
  reason              text not null,
  ticket              text,
  duration_minutes    integer not null check (duration_minutes > 0),
  asked_start_at      timestamptz,
  is_break_glass      boolean not null default false,
  risk_level          text not null default 'medium' check (risk_level in ('low', 'medium', 'high', 'critical')),
  state               text not null default 'pending' check (state in ('pending', 'granted', 'denied', 'ended')),
  starts_at           timestamptz,
  ends_at             timestamptz,
  -- Set once and never unset: an ended grant stays ended, whatever the clock says later.
  ended_at            timestamptz,
  ended_how           text check (ended_how in
                      ('expired', 'revoked', 'withdrawn', 'account-deleted', 'account-moved', 'account-disabled', 'user-disabled',
                       'user-deleted', 'member-removed', 'safe-closed')),
  ended_by            uuid references users,
  -- Retrieved during the grant, so that the end may have to change the secret.
  is_retrieved        boolean not null default false,
  -- The browsers were told that it began.
  is_start_announced  boolean not null default false,
  review_verdict      text check (review_verdict in ('justified', 'not_justified')),
  review_comment      text,
  reviewed_by         uuid references users,
  reviewed_at         timestamptz,
  created_at          timestamptz(3) not null,
  check ((state = 'ended') = (ended_at is not null)),
  check (state <> 'granted' or (starts_at is not null and ends_at is not null and account_id is not null))
);
create index access_requests_by_age on access_requests (created_at desc, id desc);
create index access_requests_by_user on access_requests (user_id, created_at desc, id desc);
create index access_requests_by_account on access_requests (account_id, created_at desc, id desc);
create index access_requests_granted on access_requests (user_id, account_id) where state = 'granted';
create index access_requests_ending on access_requests (ends_at) where state = 'granted';
create index access_requests_pending on access_requests (created_at desc) where state = 'pending';
create index access_requests_starting on access_requests (starts_at) where state = 'granted' and not is_start_announced;
-- A person asks for an account once at a time; an emergency does not wait for what was asked before.
create unique index access_requests_open on access_requests (user_id, account_id, is_break_glass)
  where state in ('pending', 'granted') and account_id is not null;

-- What is decided on: round 0 is the request, each later one an extension.
create table access_request_rounds (
  request_id uuid not null references access_requests,
  round      integer not null check (round >= 0),
  minutes    integer not null check (minutes > 0),
  -- As the platform demanded when it was asked.
  level_1    integer not null,
  level_2    integer not null,
  state      text not null default 'pending' check (state in ('pending', 'approved', 'denied', 'withdrawn')),
  asked_at   timestamptz not null,
  decided_at timestamptz,
  primary key (request_id, round)
);
create unique index access_request_rounds_open on access_request_rounds (request_id) where state = 'pending';

-- One person decides once in a round.
create table access_request_decisions (
  request_id uuid not null,
  round      integer not null,
  user_id    uuid not null references users,
  level      integer not null check (level in (1, 2)),
  decision   text not null check (decision in ('approved', 'denied')),
  comment    text,
  decided_at timestamptz not null,
  primary key (request_id, round, user_id),
  foreign key (request_id, round) references access_request_rounds
);

alter table account_check_outs add foreign key (request_id) references access_requests;
