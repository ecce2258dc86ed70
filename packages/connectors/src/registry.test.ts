// Tests which connector is chosen for an entry, and the "unsupported" answer for entries without one.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Secret } from "@strongroom/keys";
import { aContext, aTarget } from "../testing/factories.ts";
import { networkPolicy } from "./network-policy.ts";
import type { Target } from "./connector.ts";
import { connectorFor, connectors, isSupported } from "./registry.ts";

const SSH = { host: "web1", username: "root" };
const CHOICES: [Partial<Target>, string][] = [
  [{ type: "ssh" }, "linux"],
  [{ type: "server" }, "linux"],
  [{ type: "password", ...SSH }, "linux"],
  [{ type: "password", ...SSH, port: 2222 }, "linux"],
  [{ type: "password", ...SSH, port: 3389, additionalParams: { protocol: "ssh" } }, "linux"],
  [{ type: "password", ...SSH, port: 636, additionalParams: { protocol: "LDAPS" } }, "ldap"],
  [{ type: "application", additionalParams: { protocol: "ldap" } }, "ldap"],
  [{ type: "application", ...SSH, port: 3389, additionalParams: { protocol: "active-directory" } }, "active-directory"],
  [{ type: "server", additionalParams: { protocol: "telnet" } }, "network-device"],
  [{ type: "application", additionalParams: { protocol: "network-device" } }, "network-device"],
  [{ type: "api", additionalParams: { protocol: "aws-iam" } }, "aws-iam"],
  [{ type: "application", ...SSH, port: 23 }, "network-device"],
  [{ type: "password", ...SSH, port: 23, additionalParams: { protocol: "ssh" } }, "linux"],
  [{ type: "application", ...SSH, port: 5986 }, "winrm"],
  [{ type: "server", additionalParams: { protocol: "snmpv3" } }, "snmpv3"],
  [{ type: "password", ...SSH, port: 5986, additionalParams: { protocol: "winrm" } }, "winrm"],
  [{ type: "postgresql" }, "postgresql"],
  [{ type: "mysql" }, "mysql"],
  [{ type: "database", connectionString: "postgresql://h/d" }, "postgresql"],
  [{ type: "database", connectionString: "MariaDB://h/d" }, "mysql"],
  [{ type: "database", connectionString: "rediss://h" }, "redis"],
  [{ type: "application", additionalParams: { protocol: "rabbitmq" } }, "rabbitmq"],
  [{ type: "application", additionalParams: { protocol: "http-bearer" } }, "http-login"],
  [{ type: "password", ...SSH, port: 1812, additionalParams: { protocol: "radius" } }, "radius"],
  [{ type: "password", ...SSH, port: 6379, additionalParams: { protocol: "redis" } }, "redis"],
  [{ type: "mssql" }, "mssql"],
  [{ type: "database", connectionString: "sqlserver://h/d" }, "mssql"],
  [{ type: "oracle" }, "oracle"],
  [{ type: "mongodb" }, "mongodb"],
  [{ type: "database", connectionString: "mongodb://h/d" }, "mongodb"],
  [{ type: "certificate" }, "certificate"],
  [{ type: "api_token", additionalParams: { check_url: "https://api.example/me" } }, "api-token"],
];
for (const [target, id] of CHOICES) {
  test(`chooses the connector for an entry: ${JSON.stringify(target)}`, () => {
    assert.equal(connectorFor(aTarget(target)).id, id);
    assert.ok(isSupported(aTarget(target)));
  });
}

const UNSUPPORTED: [Partial<Target>, RegExp][] = [
  [{ type: "application" }, /Application secrets/],
  [{ type: "api" }, /API Token/],
  [{ type: "password" }, /without a host and a user name/],
  [{ type: "password", ...SSH, username: null }, /without a host and a user name/],
  [{ type: "password", ...SSH, port: 3389 }, /Remote Desktop/],
  [{ type: "password", ...SSH, port: 5985 }, /Windows Remote Management/],
  [{ type: "password", ...SSH, additionalParams: { protocol: "rdp" } }, /one of active-directory, .*, ssh, /],
  [{ type: "database" }, /connection string/],
  [{ type: "database", connectionString: "cassandra://h/d" }, /cassandra/],
  [{ type: "api_token" }, /check_url/],
  [{ type: "something-else" }, /something-else/],
];
for (const [target, words] of UNSUPPORTED) {
  test(`an unsupported entry is reported as unsupported, never as failed: ${JSON.stringify(target)}`, async () => {
    const lookup = () => Promise.reject(new Error("it was looked up"));
    const context = aContext({ network: networkPolicy({ lookup }) });
    const result = await connectorFor(aTarget(target)).verify(
      aTarget(target),
      Secret.fromText("a-secret-of-mine"),
      context,
    );
    assert.equal(result.outcome, "unsupported");
    assert.match(result.message, words);
    assert.ok(!isSupported(aTarget(target)));
  });
}

test("ids are unique and every connector can be chosen", () => {
  assert.equal(new Set(connectors.map(({ id }) => id)).size, connectors.length);
  for (const { types, protocols = [] } of connectors) assert.ok(types.length + protocols.length > 0);
});

test("changes a website's password only if its entry describes how", () => {
  const at = (more: object) =>
    connectorFor(aTarget({ type: "application", additionalParams: { protocol: "http-basic", ...more } }));
  assert.equal(at({}).change, undefined);
  assert.notEqual(at({ change_path: "/me" }).change, undefined);
});

test("loads no driver before its first use", async () => {
  const drivers = () =>
    Object.keys(createRequire(import.meta.url).cache).filter((path) => /node_modules\/(?!@strongroom)/.test(path));
  assert.deepEqual(drivers(), []);
  await import("tedious");
  assert.notDeepEqual(drivers(), [], "detects a loaded driver");
});
