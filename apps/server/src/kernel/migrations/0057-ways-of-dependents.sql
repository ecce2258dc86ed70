-- Where the account that delivers a dependent's password sent it when a user last became responsible for the dependent.
alter table account_dependents add column via_way text;
update account_dependents set via_way = (
  select jsonb_build_array(type, host, port, connection_string, ssl_enabled, additional_params)::text
  from credentials where credentials.id = (account_dependents.config ->> 'via_account_id')::uuid);
