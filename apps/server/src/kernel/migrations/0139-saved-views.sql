-- Named filters of lists. They hold no names of what they select, only the parts of the list's address.
create table saved_views (
  id         uuid primary key,
  user_id    uuid not null references users on delete cascade,
  list       text not null,
  name       text not null,
  filters    jsonb not null,
  is_shared  boolean not null,
  created_at timestamptz not null
);
create index saved_views_of_user on saved_views (user_id, list);
create index saved_views_shared on saved_views (list, created_at desc) where is_shared;
