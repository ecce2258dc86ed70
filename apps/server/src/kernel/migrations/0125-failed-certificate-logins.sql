-- A login by certificate sends no secret, so its failure is not that of a version.
alter table session_login_failures alter column version drop not null;
