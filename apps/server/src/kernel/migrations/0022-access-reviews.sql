-- Access reviews: every membership as it stood when the review began, and what was decided on each.

create table access_reviews (
  id          uuid primary key,
  name        text not null,
  scope       text not null check (scope in ('all', 'safes', 'group')),
  -- The group's name when the review began, for the scope `group`.
  group_name  text,
  -- Null: the owners of the safes.
  reviewer_id uuid references users,
  due_at      timestamptz not null,
  -- What happens to what nobody decided on, at the close.
  unreviewed  text not null check (unreviewed in ('stays', 'is-removed')),
  -- `closing`: what nobody decided on is being removed.
  state       text not null default 'open' check (state in ('open', 'closing', 'closed')),
  -- When each membership was used last has been looked up.
  is_use_known boolean not null default false,
  started_by  uuid not null references users,
  started_at  timestamptz(3) not null,
  closed_by   uuid references users,
  closed_at   timestamptz(3),
  check ((state = 'open') = (closed_by is null)),
  check ((state = 'closed') = (closed_at is not null))
);
create index access_reviews_by_age on access_reviews (started_at desc, id desc);
create index access_reviews_open on access_reviews (due_at) where state = 'open';

create table access_review_items (
  id           uuid primary key,
  review_id    uuid not null references access_reviews,
  -- Points at nothing once the membership is gone.
  member_id    uuid not null,
  safe_id      uuid not null references safes,
  safe_name    text not null,
  user_id      uuid references users,
  group_id     uuid,
  -- Of the person or the group.
  name         text not null,
  email        text,
  people       integer,
  role         text not null,
  permissions  integer not null,
  expires_at   timestamptz,
  added_at     timestamptz not null,
  last_used_at timestamptz,
  -- Null: any administrator, because who would review it is who it is about.
  reviewer_id  uuid references users,
  -- `gone`: it had ended in another way. `kept` and `lapsed`: nobody decided, and it stayed or was removed.
  decision     text check (decision in ('confirmed', 'removed', 'gone', 'kept', 'lapsed')),
  reason       text,
  decided_by   uuid references users,
  decided_at   timestamptz(3),
  check (num_nonnulls(user_id, group_id) = 1),
  check ((decision is null) = (decided_at is null))
);
create index access_review_items_by_place on access_review_items (review_id, lower(safe_name), id);
create index access_review_items_by_decision on access_review_items (review_id, decision, reviewer_id);
create index access_review_items_by_reviewer on access_review_items (reviewer_id, review_id);
create index access_review_items_by_safe on access_review_items (safe_id, review_id);
create index access_review_items_by_person on access_review_items (user_id) where user_id is not null;
