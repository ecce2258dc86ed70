-- Which versions of one-time passwords were given out: each once, whoever asks, on whichever process.
create table account_one_time_takes (
  account_id uuid        not null references credentials on delete cascade,
  version    integer     not null,
  -- Null: taken before this was recorded.
  user_id    uuid        references users,
  taken_at   timestamptz not null,
  primary key (account_id, version)
);

-- What was given out and waits for its change is not given out again.
insert into account_one_time_takes (account_id, version, user_id, taken_at)
select accounts.id, credentials.secret_version, null, accounts.rotation_wanted_at
from accounts join credentials on credentials.id = accounts.id
where accounts.rotation_wanted_because = 'one-time' and accounts.rotation_wanted_at is not null;
