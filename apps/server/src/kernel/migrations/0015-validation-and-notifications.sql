-- Notifications, and what the Validation Dashboard is read from.

-- What people are to be told and were not yet: one row however many they are, in the transaction that makes it true. A
-- moment later it is delivered to each of them and gone.
create table notices (
  id              uuid primary key,
  audience        jsonb not null,
  type            text not null,
  severity        text not null check (severity in ('critical', 'high', 'medium', 'low')),
  title           text not null,
  message         text not null,
  action_required boolean not null,
  metadata        jsonb not null,
  link            text,
  -- Told again while it is unread, it takes the place of what was told before.
  dedupe_key      text,
  -- {key, title, subject}: what is told in one with others like it.
  fold            jsonb,
  created_at      timestamptz(3) not null
);

create table notifications (
  id              uuid primary key,
  user_id         uuid not null references users,
  type            text not null,
  severity        text not null check (severity in ('critical', 'high', 'medium', 'low')),
  title           text not null,
  message         text not null,
  action_required boolean not null,
  metadata        jsonb not null,
  link            text,
  key             text,
  -- What was told in one: how many, and the first of them by name.
  subjects        jsonb,
  read_at         timestamptz,
  created_at      timestamptz(3) not null
);
create index notifications_by_user on notifications (user_id, created_at desc, id desc);
create unique index notifications_unread on notifications (user_id, key) where key is not null and read_at is null;
