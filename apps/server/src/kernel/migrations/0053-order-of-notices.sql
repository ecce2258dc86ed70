-- Notices of the same millisecond are delivered in the order in which they were written: a question must not be settled
-- by a notice that settles the one before it.
alter table notices add column seq bigint generated always as identity;
