// Which certificates are findings, with certificates that the test signs itself.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { test } from "node:test";
import { scanText } from "./index.ts";

const DAY = 24 * 3600 * 1000;
const NOW = new Date("2026-11-28T12:00:00Z");

/** DER (X.690 §8.1): a tag, a length and the content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (date: Date) => der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, "")));
const COMMON_NAME = der(0x06, Buffer.from([0x55, 0x04, 0x03]));
const nameOf = (value: string) => sequence(der(0x31, sequence(COMMON_NAME, text(value))));
const ECDSA_SHA256 = sequence(der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])));

interface Facts {
  from?: Date;
  to?: Date;
  issuer?: string;
}

/** A certificate of RFC 5280 §4.1 with the name `app`. */
function aCertificate({ from = daysFromNow(-60), to = daysFromNow(365), issuer = "authority" }: Facts): string {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const validity = sequence(time(from), time(to));
  const key = (each: KeyObject) => each.export({ format: "der", type: "spki" });
  const serial = der(0x02, Buffer.from([1]));
  const body = sequence(version, serial, ECDSA_SHA256, nameOf(issuer), validity, nameOf("app"), key(publicKey));
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const lines = sequence(body, ECDSA_SHA256, signature)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const daysFromNow = (days: number): Date => new Date(NOW.getTime() + days * DAY);
const reasons = (facts: Facts, now?: Date): string[] =>
  scanText(aCertificate(facts), { path: "app.pem", ...(now === undefined ? {} : { now }) }).map(
    ({ class: found, reason }) => `${found}: ${reason}`,
  );

test("a valid certificate of an authority is no finding", () => {
  assert.deepEqual(reasons({}, NOW), []);
});

test("an expired certificate is a finding, but not without a date", () => {
  const to = daysFromNow(-1);
  assert.deepEqual(reasons({ to }, NOW), ["certificate: It expired on 2026-11-27."]);
  assert.deepEqual(reasons({ to }), []);
});

test("a certificate that expires within three weeks is a finding, unless it is valid for days only", () => {
  assert.deepEqual(reasons({ to: daysFromNow(20) }, NOW), ["certificate: It expires on 2026-12-18."]);
  assert.deepEqual(reasons({ to: daysFromNow(22) }, NOW), []);
  assert.deepEqual(reasons({ from: daysFromNow(-1), to: daysFromNow(6) }, NOW), []);
});

test("a certificate that a server signed itself is a finding", () => {
  assert.deepEqual(reasons({ issuer: "app" }, NOW), ["certificate: It is self-signed."]);
});
