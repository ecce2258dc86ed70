// Which accounts a platform's reconcile account may act on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outOfReach, targetFor } from "./reach.policy.ts";
import type { Placed, Reach } from "./reach.policy.ts";

const UNIX: Placed = {
  safe_id: "keepers",
  type: "server",
  host: "web1.example.com",
  port: 22,
  username: "root",
  database_name: null,
  schema_name: null,
  connection_string: null,
  ssl_enabled: false,
  additional_params: {},
  host_key: null,
};
const own = { type: "ssh-ed25519", fingerprint: "SHA256:own" };
const OTHER = { type: "ssh-ed25519", fingerprint: "SHA256:other" };
const BY: Reach = { ...UNIX, username: "keeper", host_key: own, hosts: ["*.prod.example.com"], safes: ["web"] };

test("INVARIANT: a reconcile account sets passwords only in its own safe and in those that an administrator named", () => {
  assert.equal(outOfReach(UNIX, BY), null);
  assert.equal(outOfReach({ ...UNIX, safe_id: "web" }, BY), null);
  for (const safe_id of ["somebody's own", "", null]) {
    assert.equal(outOfReach({ ...UNIX, safe_id }, BY)?.code, "rotation.safe-not-reconcilable", String(safe_id));
  }
});

test("INVARIANT: nobody but who keeps a reconcile account says in which way it logs in", () => {
  const script = { change: [{ expect: "*#", send: "id" }] };
  const ways: Partial<Placed>[] = [
    { port: 2222 },
    { port: null },
    { ssl_enabled: true },
    { connection_string: "postgresql://web1.example.com:2222/db" },
    { additional_params: { protocol: "network-device", script } },
    { additional_params: { protocol: "telnet", allow_clear_text: true } },
    { additional_params: { protocol: "ssh" } },
    { additional_params: { ca: "…" } },
    { additional_params: { servername: "mine.example.com" } },
    { additional_params: { what_nobody_knows_yet: 1 } },
    { type: "postgresql" },
  ];
  for (const way of ways) {
    for (const host of [UNIX.host, "a.prod.example.com"]) {
      assert.equal(outOfReach({ ...UNIX, host, ...way }, BY)?.code, "rotation.not-reached-alike", JSON.stringify(way));
    }
  }
  assert.equal(outOfReach({ ...UNIX, host: "a.prod.example.com", host_key: OTHER }, BY), null);
  assert.equal(outOfReach({ ...UNIX, additional_params: { base_dn: "dc=x" } }, BY), null);
});

test("INVARIANT: a reconcile account's secret goes to no host by SSH whose key nobody has seen", () => {
  const elsewhere = { ...UNIX, host: "a.prod.example.com" };
  assert.equal(outOfReach(elsewhere, BY)?.code, "rotation.host-key-unknown");
  assert.equal(outOfReach({ ...elsewhere, host_key: OTHER }, BY), null);
  const database = { ...elsewhere, type: "postgresql" };
  assert.equal(outOfReach(database, { ...BY, type: "postgresql" }), null);
});

test("a directory server of the account's own choosing is no host of the reconcile account", () => {
  const ldap = { ...UNIX, port: 636, additional_params: { protocol: "ldaps" } };
  const by = { ...ldap, hosts: [], safes: [] };
  const elsewhere = { protocol: "ldaps", directory_server: "ldap.evil.example" };
  assert.equal(outOfReach(ldap, by), null);
  assert.equal(outOfReach({ ...ldap, additional_params: elsewhere }, by)?.code, "rotation.host-not-reconcilable");
});

test("connection strings may differ in user and database, and in nothing that decides where a login goes", () => {
  const at = (connection_string: string) => ({ ...UNIX, type: "postgresql", connection_string });
  const by = { ...at("postgresql://keeper@db1.example.com:5432/postgres?sslmode=verify-full"), hosts: [], safes: [] };
  assert.equal(outOfReach(at("postgresql://alice@db1.example.com:5432/app?sslmode=verify-full"), by), null);
  for (const text of [
    "postgresql://alice@db1.example.com:5433/app?sslmode=verify-full",
    "postgresql://alice@db1.example.com:5432/app?sslmode=disable",
    "postgresql://alice@db1.example.com:5432/app?sslmode=verify-full&host=evil.example",
  ]) {
    assert.equal(outOfReach(at(text), by)?.code, "rotation.not-reached-alike", text);
  }
});

test("on its own host a reconcile account expects the key that it was shown there itself", () => {
  assert.equal(targetFor({ ...UNIX, host_key: OTHER }, BY).knownHostKey, own);
  assert.equal(targetFor({ ...UNIX, host: "a.prod.example.com", host_key: OTHER }, BY).knownHostKey, OTHER);
});
