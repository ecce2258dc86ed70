import { expect, test } from "vitest";
import { describePlace } from "./own-sessions-card.tsx";

test.each([
  ["127.0.0.1", "127.0.0.1 (this machine, or a proxy on it)"],
  ["::1", "::1 (this machine, or a proxy on it)"],
  ["::ffff:127.0.0.1", "127.0.0.1 (this machine, or a proxy on it)"],
  ["10.1.2.3", "10.1.2.3 (local network)"],
  ["172.31.0.9", "172.31.0.9 (local network)"],
  ["172.32.0.9", "172.32.0.9 (internet)"],
  ["192.168.7.7", "192.168.7.7 (local network)"],
  ["100.127.0.1", "100.127.0.1 (local network)"],
  ["100.128.0.1", "100.128.0.1 (internet)"],
  ["FD00::7", "fd00::7 (local network)"],
  ["fe80::1", "fe80::1 (local network)"],
  ["2001:db8::7", "2001:db8::7 (internet)"],
  ["203.0.113.7", "203.0.113.7 (internet)"],
  [null, "Address unknown"],
])("%s: %s", (ip, told) => {
  expect(describePlace(ip)).toBe(told);
});
