// Tests which accounts a platform's reconcile account may act on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReconcileScope, reconcileTarget } from "./reconcile-scope.policy.ts";
import type { LocatedLogin, ReconcileScope } from "./reconcile-scope.policy.ts";

const UNIX: LocatedLogin = {
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
const BY: ReconcileScope = {
  ...UNIX,
  username: "keeper",
  host_key: own,
  hosts: ["*.prod.example.com"],
  safes: ["web"],
};

test("INVARIANT: a reconcile account sets passwords only in its own safe and in those that an administrator listed", () => {
  assert.equal(checkReconcileScope(UNIX, BY), null);
  assert.equal(checkReconcileScope({ ...UNIX, safe_id: "web" }, BY), null);
  for (const safe_id of ["somebody's own", "", null]) {
    assert.equal(
      checkReconcileScope({ ...UNIX, safe_id }, BY)?.code,
      "rotation.safe-not-reconcilable",
      String(safe_id),
    );
  }
});

test("INVARIANT: only a reconcile account's own settings determine how it logs in", () => {
  const script = { change: [{ expect: "*#", send: "id" }] };
  const ways: Partial<LocatedLogin>[] = [
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
      assert.equal(
        checkReconcileScope({ ...UNIX, host, ...way }, BY)?.code,
        "rotation.not-reached-alike",
        JSON.stringify(way),
      );
    }
  }
  assert.equal(checkReconcileScope({ ...UNIX, host: "a.prod.example.com", host_key: OTHER }, BY), null);
  assert.equal(checkReconcileScope({ ...UNIX, additional_params: { base_dn: "dc=x" } }, BY), null);
});

test("INVARIANT: a reconcile account's secret is sent over SSH only to hosts with a known key", () => {
  const elsewhere = { ...UNIX, host: "a.prod.example.com" };
  assert.equal(checkReconcileScope(elsewhere, BY)?.code, "rotation.host-key-unknown");
  assert.equal(checkReconcileScope({ ...elsewhere, host_key: OTHER }, BY), null);
  const database = { ...elsewhere, type: "postgresql" };
  assert.equal(checkReconcileScope(database, { ...BY, type: "postgresql" }), null);
});

test("a directory server named in the account's own parameters is outside the reconcile account's scope", () => {
  const ldap = { ...UNIX, port: 636, additional_params: { protocol: "ldaps" } };
  const by = { ...ldap, hosts: [], safes: [] };
  const elsewhere = { protocol: "ldaps", directory_server: "ldap.evil.example" };
  assert.equal(checkReconcileScope(ldap, by), null);
  assert.equal(
    checkReconcileScope({ ...ldap, additional_params: elsewhere }, by)?.code,
    "rotation.host-not-reconcilable",
  );
});

test("connection strings may differ in user and database only", () => {
  const at = (connection_string: string) => ({ ...UNIX, type: "postgresql", connection_string });
  const by = { ...at("postgresql://keeper@db1.example.com:5432/postgres?sslmode=verify-full"), hosts: [], safes: [] };
  assert.equal(checkReconcileScope(at("postgresql://alice@db1.example.com:5432/app?sslmode=verify-full"), by), null);
  for (const text of [
    "postgresql://alice@db1.example.com:5433/app?sslmode=verify-full",
    "postgresql://alice@db1.example.com:5432/app?sslmode=disable",
    "postgresql://alice@db1.example.com:5432/app?sslmode=verify-full&host=evil.example",
  ]) {
    assert.equal(checkReconcileScope(at(text), by)?.code, "rotation.not-reached-alike", text);
  }
});

test("a reconcile account expects its stored host key on its own host", () => {
  assert.equal(reconcileTarget({ ...UNIX, host_key: OTHER }, BY).knownHostKey, own);
  assert.equal(reconcileTarget({ ...UNIX, host: "a.prod.example.com", host_key: OTHER }, BY).knownHostKey, OTHER);
});
