-- Tests of logins that are not stored: what is needed to stop them before the target locks the account. No secret is here.
create table account_login_tests (
  id         uuid primary key,
  user_id    uuid not null references users on delete cascade,
  -- The host, port and user name, in lower case.
  login      text not null,
  tested_at  timestamptz not null,
  -- Null while the test runs.
  outcome    text
);
create index account_login_tests_of_user on account_login_tests (user_id, tested_at);
create index account_login_tests_of_login on account_login_tests (login, tested_at);
