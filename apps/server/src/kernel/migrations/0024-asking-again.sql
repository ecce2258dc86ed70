-- When people had refused secrets sent again: each time may count as a failed login on the system.
alter table rotations add column asked_again_at timestamptz[] not null default '{}';
