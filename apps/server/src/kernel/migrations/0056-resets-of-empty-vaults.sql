-- A reset of a user whose vault is empty does not close it. Its row only records since when new factors are in doubt.
alter table vault_closures add column blocks_vault boolean not null default true;
