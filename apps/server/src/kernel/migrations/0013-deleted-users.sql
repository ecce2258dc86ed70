-- People who were deleted: the row stays, because others point at it, without anything that says who it was.
alter table users drop constraint users_status_check;
alter table users add constraint users_status_check check (status in ('active', 'disabled', 'deleted'));
