// Tests that the reported host is the one that the connector connects to, however the entry tries to name a different
// host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "@strongroom/keys";
import { aContext, aTarget } from "../testing/factories.ts";
import type { Target } from "./connector.ts";
import { destinationHost } from "./destination.ts";
import { networkPolicy } from "./network-policy.ts";
import { connectorFor, connectors } from "./registry.ts";

const at = (type: string, more: Partial<Target> = {}): Partial<Target> => ({
  type,
  host: "own.example",
  username: "alice",
  sslEnabled: true,
  ...more,
});
const by = (protocol: string, more: Record<string, unknown> = {}, rest: Partial<Target> = {}): Partial<Target> =>
  at("application", { additionalParams: { protocol, ...more }, ...rest });
const ELSEWHERE = { connectionString: "postgresql://elsewhere.example/db" };
const dn = { dn_template: "uid={username},dc=example" };
const AT_DIRECTORY = { directory_server: "dc1.example:636" };

const CASES: [Partial<Target>, string][] = [
  [at("server"), "own.example"],
  [by("ssh", AT_DIRECTORY, ELSEWHERE), "own.example"],
  [at("postgresql", ELSEWHERE), "elsewhere.example"],
  [at("mysql", { connectionString: "mysql://elsewhere.example/db" }), "elsewhere.example"],
  [at("database", { connectionString: "rediss://elsewhere.example" }), "elsewhere.example"],
  [at("postgresql", { connectionString: "postgresql:///db" }), "own.example"],
  [by("ldaps", dn, ELSEWHERE), "own.example"],
  [by("ldaps", { ...dn, ...AT_DIRECTORY }), "dc1.example"],
  [by("active-directory", { domain: "corp.example", ...AT_DIRECTORY }, ELSEWHERE), "dc1.example"],
  [by("rabbitmq", AT_DIRECTORY, ELSEWHERE), "own.example"],
  [by("http-basic", { check_path: "/me", check_url: "https://elsewhere.example/" }), "own.example"],
  [at("api_token", { additionalParams: { check_url: "https://api.example/me" } }), "api.example"],
];

for (const [entry, expected] of CASES) {
  test(`secrets go to ${expected}: ${JSON.stringify(entry)}`, async () => {
    const target = aTarget(entry);
    assert.equal(destinationHost(target), expected);
    const asked: string[] = [];
    const lookup = (name: string) => {
      asked.push(name);
      return Promise.reject(Object.assign(new Error("not found"), { code: "ENOTFOUND" }));
    };
    const context = aContext({ network: networkPolicy({ lookup }) });
    await connectorFor(target).verify(target, Secret.fromText("a-secret-of-mine"), context);
    assert.deepEqual(asked, [expected]);
  });
}

test("an invalid address has no destination", () => {
  for (const directory_server of ["a b", "", 7, "dc1:99999", "u@dc1"])
    assert.equal(destinationHost(aTarget(by("ldaps", { directory_server }))), null);
  assert.equal(destinationHost(aTarget(by("ldaps", {}, { host: null }))), null);
  assert.equal(destinationHost(aTarget(at("postgresql", { connectionString: "postgresql://%zz/db", host: "" }))), null);
});

test("every connector either uses the entry's own host or is handled in destination.ts", () => {
  const OWN_HOST = [
    "linux",
    "git",
    "git-ssh",
    "certificate",
    "network-device",
    "rabbitmq",
    "http-login",
    "radius",
    "snmpv3",
    "winrm",
  ];
  const BETTER = [
    "postgresql",
    "mysql",
    "mssql",
    "oracle",
    "mongodb",
    "redis",
    "ldap",
    "active-directory",
    "api-token",
    "aws-iam",
    "azure",
    "google-cloud",
  ];
  const known = [...OWN_HOST, ...BETTER];
  assert.deepEqual(
    connectors.map(({ id }) => id).filter((id) => !known.includes(id)),
    [],
  );
});
