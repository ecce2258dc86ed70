// Tests which addresses count as one client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clientKey } from "./rate-limits.ts";

test("an IPv4 client is its address", () => {
  assert.equal(clientKey("192.0.2.7"), "192.0.2.7");
  assert.equal(clientKey("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(clientKey("::FFFF:c000:207"), "192.0.2.7");
});

test("an IPv6 client is its /64 in every notation", () => {
  const same = ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "2001:db8:1:2:ffff::"];
  for (const ip of same) assert.equal(clientKey(ip), "2001:db8:1:2");
  assert.equal(clientKey("2001:db8::1"), "2001:db8:0:0");
  assert.equal(clientKey("::1"), "0:0:0:0");
});
