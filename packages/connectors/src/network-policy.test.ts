// Which hosts may be connected to, for every way of naming one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { networkPolicy, permittedAddresses, refusalOf, type NetworkSettings } from "./network-policy.ts";

const resolvesTo =
  (...addresses: string[]) =>
  async () =>
    addresses;
const fails = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));

/** The permitted addresses, or the code of the failure. */
async function judge(host: string, settings: NetworkSettings = {}): Promise<string[] | string> {
  const judged = await permittedAddresses(networkPolicy(settings), host);
  if ("addresses" in judged) return judged.addresses;
  return "code" in judged.failure ? judged.failure.code : judged.failure.outcome;
}

const FORBIDDEN = [
  "127.0.0.1", "127.8.9.10", "0.0.0.0", "169.254.1.1", "169.254.169.254", "100.100.100.200", "168.63.129.16",
  "224.0.0.251", "255.255.255.255", "240.1.2.3", "::", "::1", "[::1]", "fe80::1", "ff02::1", "fd00:ec2::254",
  "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
  "METADATA.google.internal", "metadata.google.internal.", "metadata", "instance-data", "metadata.goog",
]; // prettier-ignore

for (const host of FORBIDDEN) {
  test(`a host that is forbidden: ${host}`, async () => {
    assert.equal(await judge(host), "address-forbidden");
  });
}

for (const host of [
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "010.0.0.1",
  "①②⑦.0.0.1",
  "",
  "two words",
  "a..b/c",
  "user@host",
  "host:22",
  "-x",
  "/var/run/socket",
  "a\nb",
  "x".repeat(254),
]) {
  test(`a host that is written in no usual way: ${JSON.stringify(host).slice(0, 40)}`, async () => {
    const lookup = () => Promise.reject(new Error("it was looked up"));
    assert.equal(await judge(host, { lookup, allowLoopback: true }), "bad-input");
  });
}

test("private and public addresses are permitted unless networks are named", async () => {
  for (const host of ["10.0.0.1", "192.168.0.1", "203.0.113.7", "2001:db8::1", "fd12:3456::1"]) {
    assert.deepEqual(await judge(host), [host]);
  }
});

test("a name is judged by what it resolves to, and only permitted addresses are tried", async () => {
  assert.deepEqual(await judge("db.example", { lookup: resolvesTo("10.0.0.5") }), ["10.0.0.5"]);
  assert.deepEqual(await judge("db.example", { lookup: resolvesTo("127.0.0.1", "10.0.0.5", "::1") }), ["10.0.0.5"]);
  assert.equal(await judge("db.example", { lookup: resolvesTo("169.254.169.254") }), "address-forbidden");
  assert.equal(await judge("db.example", { lookup: resolvesTo("::ffff:169.254.169.254") }), "address-forbidden");
  assert.equal(await judge("db.example", { lookup: resolvesTo("fe80::1%eth0") }), "address-forbidden");
});

test("names are compared without case, brackets and final dot, and international ones are encoded", async () => {
  const asked: string[] = [];
  const lookup = async (name: string) => (asked.push(name), ["10.0.0.5"]);
  for (const host of ["DB.Example.", "bücher.example", "under_score"]) await judge(host, { lookup });
  assert.deepEqual(asked, ["db.example", "xn--bcher-kva.example", "under_score"]);
});

test("allowed networks are the only ones, whatever the notation of the address", async () => {
  const settings = { allowedNetworks: ["10.1.0.0/16", "fd00:1::/32"] };
  assert.deepEqual(await judge("10.1.2.3", settings), ["10.1.2.3"]);
  assert.deepEqual(await judge("::ffff:10.1.2.3", settings), ["::ffff:10.1.2.3"]);
  assert.deepEqual(await judge("fd00:1::9", settings), ["fd00:1::9"]);
  for (const host of ["10.2.0.1", "203.0.113.7", "fd00:2::1", "2002:0a01:0203::", "64:ff9b::a01:203"]) {
    assert.equal(await judge(host, settings), "address-forbidden", host);
  }
});

test("an allowed network does not open metadata, link-local or loopback addresses", async () => {
  const settings = { allowedNetworks: ["0.0.0.0/0", "::/0"] };
  for (const host of ["169.254.169.254", "169.254.1.1", "127.0.0.1", "::1", "fd00:ec2::254", "0.0.0.0"]) {
    assert.equal(await judge(host, settings), "address-forbidden", host);
  }
});

test("loopback is allowed by its own setting, with or without allowed networks", async () => {
  for (const host of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    assert.deepEqual(await judge(host, { allowLoopback: true }), [host]);
    assert.deepEqual(await judge(host, { allowLoopback: true, allowedNetworks: ["10.0.0.0/8"] }), [host]);
  }
  assert.equal(await judge("0.0.0.0", { allowLoopback: true }), "address-forbidden");
});

test("a name that does not exist and a name server that does not answer are told apart in words", async () => {
  const policy = (code: string) => networkPolicy({ lookup: fails(code) });
  for (const [code, words] of [
    ["ENOTFOUND", /does not resolve/],
    ["EAI_AGAIN", /name server did not answer/],
  ] as const) {
    const judged = await permittedAddresses(policy(code), "db.example");
    assert.ok("failure" in judged && "code" in judged.failure);
    assert.equal(judged.failure.code, "dns-failure");
    assert.match(judged.failure.message, words);
  }
});

test("the refusal names the address that a name led to", async () => {
  const judged = await permittedAddresses(networkPolicy({ lookup: resolvesTo("169.254.169.254") }), "db.example");
  assert.ok("failure" in judged);
  assert.match(
    judged.failure.message,
    /^db\.example \(169\.254\.169\.254\) is a cloud metadata service\. Nothing was sent/,
  );
});

test("a network that is not in CIDR notation is refused with its text", () => {
  assert.throws(() => networkPolicy({ allowedNetworks: ["10.0.0.0/8", "ten"] }), /"ten" is not a network/);
});

test("the system's own resolver answers for this machine", async () => {
  const addresses = await judge("localhost", { allowLoopback: true });
  assert.ok(Array.isArray(addresses) && addresses.length > 0);
  assert.equal(refusalOf(networkPolicy({ allowLoopback: true }), addresses[0] ?? ""), null);
});
