-- Where servers on other machines reach a gateway with the terminals of browsers, as host:port; null if they cannot.
alter table gateways add column relay_address text;
