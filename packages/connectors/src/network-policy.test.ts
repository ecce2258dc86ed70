// Tests which hosts connectors may connect to, in every notation.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
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
  "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8", "64:ff9b:1::10.0.0.1", "64:ff9b:1::8.8.8.8", "64:ff9b::10.0.0.1", "64:ff9b::192.168.0.1",
  "2002:808:808::1", "2001:0:808:808::1", "::8.8.8.8", "2001:db8::5efe:10.0.0.1", "2001:db8::200:5efe:8.8.8.8", "fd00::5efe:7f00:1",
  "METADATA.google.internal", "metadata.google.internal.", "metadata", "instance-data", "metadata.goog",
]; // prettier-ignore

for (const host of FORBIDDEN) {
  test(`forbids the host ${host}`, async () => {
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
  test(`refuses a host in an unusual notation: ${JSON.stringify(host).slice(0, 40)}`, async () => {
    const lookup = () => Promise.reject(new Error("it was looked up"));
    assert.equal(await judge(host, { lookup, allowLoopback: true }), "bad-input");
  });
}

test("permits private and public addresses unless networks are configured", async () => {
  for (const host of ["10.0.0.1", "192.168.0.1", "203.0.113.7", "2001:db8::1", "fd12:3456::1"]) {
    assert.deepEqual(await judge(host), [host]);
  }
});

test("checks the addresses that a name resolves to, and tries only permitted ones", async () => {
  assert.deepEqual(await judge("db.example", { lookup: resolvesTo("10.0.0.5") }), ["10.0.0.5"]);
  assert.deepEqual(await judge("db.example", { lookup: resolvesTo("127.0.0.1", "10.0.0.5", "::1") }), ["10.0.0.5"]);
  assert.equal(await judge("db.example", { lookup: resolvesTo("169.254.169.254") }), "address-forbidden");
  assert.equal(await judge("db.example", { lookup: resolvesTo("::ffff:169.254.169.254") }), "address-forbidden");
  assert.equal(await judge("db.example", { lookup: resolvesTo("fe80::1%eth0") }), "address-forbidden");
});

test("compares names without case, brackets and final dot, and encodes international ones", async () => {
  const asked: string[] = [];
  const lookup = async (name: string) => (asked.push(name), ["10.0.0.5"]);
  for (const host of ["DB.Example.", "bücher.example", "under_score"]) await judge(host, { lookup });
  assert.deepEqual(asked, ["db.example", "xn--bcher-kva.example", "under_score"]);
});

test("permits only the allowed networks, whatever the notation of the address", async () => {
  const settings = { allowedNetworks: ["10.1.0.0/16", "fd00:1::/32"] };
  assert.deepEqual(await judge("10.1.2.3", settings), ["10.1.2.3"]);
  assert.deepEqual(await judge("::ffff:10.1.2.3", settings), ["::ffff:10.1.2.3"]);
  assert.deepEqual(await judge("fd00:1::9", settings), ["fd00:1::9"]);
  for (const host of ["10.2.0.1", "203.0.113.7", "fd00:2::1", "2002:0a01:0203::", "64:ff9b::a01:203"]) {
    assert.equal(await judge(host, settings), "address-forbidden", host);
  }
});

test("an allowed network does not permit metadata, link-local or loopback addresses", async () => {
  const settings = { allowedNetworks: ["0.0.0.0/0", "::/0"] };
  for (const host of ["169.254.169.254", "169.254.1.1", "127.0.0.1", "::1", "fd00:ec2::254", "0.0.0.0"]) {
    assert.equal(await judge(host, settings), "address-forbidden", host);
  }
});

test("loopback has its own setting, independent of the allowed networks", async () => {
  for (const host of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    assert.deepEqual(await judge(host, { allowLoopback: true }), [host]);
    assert.deepEqual(await judge(host, { allowLoopback: true, allowedNetworks: ["10.0.0.0/8"] }), [host]);
  }
  assert.equal(await judge("0.0.0.0", { allowLoopback: true }), "address-forbidden");
});

test("distinguishes an unknown name from an unresponsive name server", async () => {
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

test("the refusal names the address that the host name resolved to", async () => {
  const judged = await permittedAddresses(networkPolicy({ lookup: resolvesTo("169.254.169.254") }), "db.example");
  assert.ok("failure" in judged);
  assert.match(
    judged.failure.message,
    /^db\.example \(169\.254\.169\.254\) is a cloud metadata service\. Nothing was sent/,
  );
});

test("throws for a network that is not in CIDR notation, and quotes the network", () => {
  assert.throws(() => networkPolicy({ allowedNetworks: ["10.0.0.0/8", "ten"] }), /"ten" is not a network/);
});

test("resolves with the system's own resolver by default", async () => {
  const addresses = await judge("localhost", { allowLoopback: true });
  assert.ok(Array.isArray(addresses) && addresses.length > 0);
  assert.equal(refusalOf(networkPolicy({ allowLoopback: true }), addresses[0] ?? ""), null);
});

const hex = (byte: number | undefined) => (byte ?? 0).toString(16).padStart(2, "0");

/** Every form of IPv6 address that embeds the IPv4 address with these bytes; `extra` fills the remaining bits. */
function carriersOf([a, b, c, d]: readonly number[], extra: readonly number[]): Record<string, string> {
  const [high, low] = [hex(a) + hex(b), hex(c) + hex(d)];
  const inverted = [a, b, c, d].map((byte) => (byte ?? 0) ^ 0xff);
  const [x, y] = [hex(extra[0]) + hex(extra[1]), hex(extra[2]) + hex(extra[3])];
  return {
    mapped: `::ffff:${high}:${low}`,
    "mapped, dotted": `::ffff:${a}.${b}.${c}.${d}`,
    compatible: `::${high}:${low}`,
    "compatible, dotted": `::${a}.${b}.${c}.${d}`,
    translated: `::ffff:0:${high}:${low}`,
    "translated, dotted": `::ffff:0:${a}.${b}.${c}.${d}`,
    nat64: `64:ff9b::${high}:${low}`,
    "nat64, dotted": `64:ff9b::${a}.${b}.${c}.${d}`,
    "local nat64, /48": `64:ff9b:1:${high}:00${hex(c)}:${hex(d)}00:${x}:${y}`,
    "local nat64, /56": `64:ff9b:1:${hex(extra[0])}${hex(a)}:00${hex(b)}:${low}:${x}:${y}`,
    "local nat64, /64": `64:ff9b:1:${x}:00${hex(a)}:${hex(b)}${hex(c)}:${hex(d)}00:${y}`,
    "local nat64, /96": `64:ff9b:1:${x}:${y}:0:${high}:${low}`,
    "6to4": `2002:${high}:${low}:${x}::${y}`,
    "Teredo client": `2001:0:${x}:${y}:0:0:${hex(inverted[0])}${hex(inverted[1])}:${hex(inverted[2])}${hex(inverted[3])}`,
    "Teredo server": `2001:0:${high}:${low}:0:${x}:${y}:1`,
    ISATAP: `2001:db8:${x}:${y}:0:5efe:${high}:${low}`,
    "ISATAP, dotted": `fd00:${x}:${y}:0:0:5efe:${a}.${b}.${c}.${d}`,
    "ISATAP, unique": `2001:db8:${x}:${y}:200:5efe:${high}:${low}`,
  };
}

test("never permits an IPv6 address that carries a forbidden IPv4 address", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const four = fc.tuple(byte, byte, byte, byte);
  const special = fc.constantFrom(
    [127, 0, 0, 1], [10, 1, 2, 3], [172, 16, 0, 1], [192, 168, 0, 1], [169, 254, 169, 254], [169, 254, 0, 1], [100, 64, 0, 1],
    [100, 100, 100, 200], [0, 0, 0, 0], [224, 0, 0, 1], [255, 255, 255, 255], [192, 0, 2, 1], [198, 18, 0, 1], [8, 8, 8, 8],
  ); // prettier-ignore
  const networks = fc.subarray([
    "10.0.0.0/8",
    "8.0.0.0/8",
    "0.0.0.0/0",
    "::/0",
    "64:ff9b::/96",
    "2002::/16",
    "fd00::/8",
  ]);
  fc.assert(
    fc.property(
      fc.oneof(four, special),
      four,
      networks,
      fc.boolean(),
      (inner, extra, allowedNetworks, allowLoopback) => {
        const policy = networkPolicy({ allowedNetworks, allowLoopback });
        const plain = refusalOf(policy, inner.join("."));
        for (const [form, carrier] of Object.entries(carriersOf(inner, extra))) {
          const refusal = refusalOf(policy, carrier);
          const isMapped = form.startsWith("mapped");
          if (isMapped) assert.equal(refusal, plain, `${form} ${carrier}`);
          if (plain !== null) assert.notEqual(refusal, null, `${form} ${carrier}`);
          const isUsable = isMapped || form.startsWith("nat64");
          if (!isUsable) assert.notEqual(refusal, null, `${form} ${carrier}`);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test("permits a DNS64 address of a public host, and requires both addresses to be in the allowed networks if any are configured", () => {
  const decide = (...allowedNetworks: string[]) => refusalOf(networkPolicy({ allowedNetworks }), "64:ff9b::8.8.8.8");
  assert.equal(decide(), null);
  assert.equal(decide("64:ff9b::/96", "8.8.8.0/24"), null);
  assert.notEqual(decide("64:ff9b::/96"), null);
  assert.notEqual(decide("8.8.8.0/24"), null);
});
