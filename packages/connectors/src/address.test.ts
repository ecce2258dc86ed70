// Tests IP addresses: their notations and their special-purpose uses.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addressBytes, destinationsOf, isInNetwork, parseNetwork, useOf, type AddressUse } from "./address.ts";

const USES: [AddressUse, string[]][] = [
  [
    "unicast",
    [
      "10.0.0.1",
      "172.16.0.1",
      "192.168.1.1",
      "8.8.8.8",
      "100.64.0.1",
      "169.253.255.255",
      "169.255.0.0",
      "126.255.255.255",
      "128.0.0.0",
      "223.255.255.255",
      "2001:db8::1",
      "fd00::1",
      "fc00::1",
      "fe7f::1",
      "::2:0:0:0:1",
    ],
  ],
  ["loopback", ["127.0.0.1", "127.255.255.255", "127.0.0.0", "::1", "0:0:0:0:0:0:0:1"]],
  ["link-local", ["169.254.0.1", "169.254.255.255", "fe80::1", "febf:ffff::1"]],
  [
    "metadata",
    [
      "169.254.169.254",
      "169.254.170.2",
      "169.254.170.23",
      "100.100.100.200",
      "168.63.129.16",
      "192.0.0.192",
      "fd00:ec2::254",
      "fd00:ec2::23",
      "fd20:ce::254",
    ],
  ],
  ["unspecified", ["0.0.0.0", "0.1.2.3", "::", "0:0:0:0:0:0:0:0"]],
  ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1", "ffff::1"]],
  ["broadcast", ["255.255.255.255"]],
  ["reserved", ["240.0.0.1", "255.255.255.254", "fec0::1"]],
];

for (const [use, addresses] of USES) {
  test(`reads the use of an address from its bits: ${use}`, () => {
    for (const address of addresses) {
      const bytes = addressBytes(address);
      assert.ok(bytes !== null, address);
      assert.equal(useOf(bytes), use, address);
    }
  });
}

test("an IPv6 address that embeds an IPv4 address can reach both addresses", () => {
  const carriers = [
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "2001:0:1:2:3:4:5601:5601",
  ];
  for (const carrier of carriers) {
    const bytes = addressBytes(carrier);
    assert.ok(bytes !== null, carrier);
    assert.ok(
      destinationsOf(bytes).some((destination) => useOf(destination) === "metadata"),
      carrier,
    );
  }
});

test("an IPv4-mapped address reaches only the IPv4 address", () => {
  const bytes = addressBytes("::ffff:10.1.2.3");
  assert.deepEqual(bytes && destinationsOf(bytes), [Uint8Array.of(10, 1, 2, 3)]);
});

test("text in any other notation has no bytes", () => {
  for (const text of [
    "",
    "localhost",
    "127.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "[::1]",
    "fe80::1%eth0",
    "::g",
    ":::",
    " 127.0.0.1",
  ]) {
    assert.equal(addressBytes(text), null, text);
  }
});

test("an IPv6 address has the same bytes in every notation", () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, (values) => {
      const written = values.map((value) => value.toString(16)).join(":");
      const short = new URL(`http://[${written}]/`).hostname.slice(1, -1);
      const expected = values.flatMap((value) => [value >> 8, value & 0xff]);
      assert.deepEqual([...(addressBytes(written) ?? [])], expected);
      assert.deepEqual([...(addressBytes(short) ?? [])], expected);
    }),
  );
});

test("a network contains exactly the addresses that share its leading bits", () => {
  const holds = (network: string, address: string) => {
    const [parsed, bytes] = [parseNetwork(network), addressBytes(address)];
    assert.ok(parsed !== null && bytes !== null);
    return isInNetwork(bytes, parsed);
  };
  assert.ok(holds("10.0.0.0/8", "10.255.255.255"));
  assert.ok(!holds("10.0.0.0/8", "11.0.0.0"));
  assert.ok(holds("10.1.2.3/8", "10.0.0.0"));
  assert.ok(holds("192.0.2.128/25", "192.0.2.128"));
  assert.ok(!holds("192.0.2.128/25", "192.0.2.127"));
  assert.ok(holds("0.0.0.0/0", "203.0.113.9"));
  assert.ok(!holds("0.0.0.0/0", "2001:db8::1"));
  assert.ok(holds("192.0.2.7", "192.0.2.7"));
  assert.ok(!holds("192.0.2.7", "192.0.2.8"));
  assert.ok(holds("2001:db8::/33", "2001:db8:7fff::1"));
  assert.ok(!holds("2001:db8::/33", "2001:db8:8000::1"));
});

test("text that is not a network parses to null", () => {
  for (const text of [
    "",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "10.0.0.0/8.5",
    "example/8",
    "10.0.0/8",
  ]) {
    assert.equal(parseNetwork(text), null, text);
  }
});
