-- What a person set for themselves; null is what nobody has set yet.
create table preferences (
  user_id       uuid primary key references users,
  dashboard     jsonb,
  notifications jsonb
);
