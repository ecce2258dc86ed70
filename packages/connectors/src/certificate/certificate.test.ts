// Tests certificates made by openssl, some of them with faults that the connector must detect.
import assert from "node:assert/strict";
import { createPrivateKey, randomBytes } from "node:crypto";
import { before, describe, test } from "node:test";
import {
  makeAuthority,
  makeSelfSigned,
  opensslAvailable,
  type Authority,
  type ServerCertificate,
} from "../../testing/certificates.ts";
import { assertResult, connectorSuite, tryOut, type Trial } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { freePort } from "../../testing/targets/server-process.ts";
import { nginxAvailable, startNginx } from "../../testing/targets/nginx.ts";
import type { Target, VerifyResult } from "../connector.ts";
import { certificate } from "./certificate.ts";

const TYPE = { type: "certificate" } as const;
const whole = ({ certificate: pem, privateKey }: ServerCertificate) => pem + privateKey;
const factsOf = (result: VerifyResult) => ("facts" in result ? result.facts : undefined) as Record<string, unknown>;

connectorSuite({
  connector: certificate,
  needs: needs(opensslAvailable() ?? nginxAvailable()),
  start: async () => {
    const authority = await makeAuthority();
    const leaf = await authority.issue(["web.example"]);
    const other = await authority.issue(["web.example"]);
    const server = await startNginx(leaf);
    const at = (host: string, port: number | null): Partial<Target> => ({
      ...TYPE,
      host,
      port,
      additionalParams: { servername: "web.example" },
    });
    const there = at(server.host, server.port);
    const trial = (secret: string, expect: Trial["expect"], target = there): Trial => ({ target, secret, expect });
    return {
      good: trial(whole(leaf), { outcome: "verified" }),
      wrong: trial(whole(other), { outcome: "misconfigured", code: "certificate-differs" }),
      locked: {
        ...trial(whole(await authority.issue(["web.example"], { fromDay: 5, untilDay: 9 })), {
          outcome: "rejected",
          code: "certificate-not-yet-valid",
        }),
        note: "a certificate cannot be locked; the closest case is one that is not valid yet",
      },
      expired: trial(whole(await authority.issue(["web.example"], { fromDay: -9, untilDay: -1 })), {
        outcome: "rejected",
        code: "certificate-expired",
      }),
      encryption: [
        {
          name: "ssl_enabled changes nothing",
          ...trial(whole(leaf), { outcome: "verified" }, { ...there, sslEnabled: true }),
        },
        {
          name: "without a port no connection is made",
          ...trial(whole(other), { outcome: "verified" }, at(server.host, null)),
        },
        {
          name: "a key of another certificate is found before connecting",
          ...trial(
            leaf.certificate + other.privateKey,
            { outcome: "misconfigured", code: "key-mismatch" },
            at("127.0.0.1", 1),
          ),
        },
      ],
      elsewhere: at,
      stop: () => server.stop(),
    };
  },
});

test("reports the certificate's facts even when its endpoint is unreachable", needs(opensslAvailable()), async () => {
  const leaf = await (await makeAuthority()).issue(["127.0.0.1"]);
  const target = { ...TYPE, host: "127.0.0.1", port: await freePort() };
  const result = await tryOut(certificate, { target, secret: whole(leaf) });
  assertResult(result, { outcome: "unreachable", code: "refused" });
  assert.equal(factsOf(result)["daysLeft"], 29);
});

describe("Certificates: checks of the stored text", needs(opensslAvailable()), () => {
  let root: Authority;
  let intermediate: Authority;
  let leaf: ServerCertificate;
  before(async () => {
    root = await makeAuthority();
    intermediate = await root.issueAuthority();
    leaf = await intermediate.issue(["web.example", "*.apps.example", "192.0.2.7", "2001:db8::7"]);
  });
  const verify = (secret: string, more: Partial<Target> = {}, now = new Date()) =>
    tryOut(certificate, { target: { ...TYPE, ...more }, secret }, { now: () => now });

  test("a chain in order is verified, with the key at any position, and reports its end date", async () => {
    const chain = [leaf.certificate, intermediate.certificate, root.certificate];
    for (const place of [0, 1, 2, 3]) {
      const result = await verify(chain.toSpliced(place, 0, leaf.privateKey).join("\n"));
      assertResult(result, { outcome: "verified" });
      const facts = factsOf(result);
      assert.equal(facts["chainLength"], 3);
      assert.equal(facts["hasPrivateKey"], true);
      assert.equal(facts["expiresSoon"], true);
      assert.equal(facts["daysLeft"], 29);
      assert.deepEqual(facts["names"], [
        "DNS:web.example",
        "DNS:*.apps.example",
        "IP Address:192.0.2.7",
        "IP Address:2001:DB8:0:0:0:0:0:7",
      ]);
    }
  });

  test("a lone certificate is verified, and a self-signed one is reported as self-signed", async () => {
    const alone = await verify(leaf.certificate);
    assertResult(alone, { outcome: "verified" });
    assert.equal(factsOf(alone)["hasPrivateKey"], false);
    assert.equal(factsOf(alone)["isSelfIssued"], false);
    const own = await verify(whole(await makeSelfSigned(["web.example"])));
    assertResult(own, { outcome: "verified" });
    assert.equal(factsOf(own)["isSelfIssued"], true);
  });

  test("reports a chain in the wrong order, with a gap or with a foreign issuer as broken", async () => {
    const foreign = await makeAuthority();
    const broken = { outcome: "misconfigured", code: "broken-chain" } as const;
    assertResult(await verify(leaf.certificate + root.certificate + intermediate.certificate), broken);
    assertResult(await verify(leaf.certificate + root.certificate), broken);
    assertResult(await verify(leaf.certificate + intermediate.certificate + foreign.certificate), broken);
  });

  test("an issuer with the same name but a different key is not the issuer", async () => {
    const impostor = await root.issueAuthority();
    assertResult(await verify(leaf.certificate + impostor.certificate), {
      outcome: "misconfigured",
      code: "broken-chain",
    });
  });

  test("a leaf that may not issue certificates is not an issuer", async () => {
    const under = await makeSelfSigned(["web.example"]);
    assertResult(await verify(under.certificate + under.certificate), {
      outcome: "misconfigured",
      code: "broken-chain",
    });
  });

  test("requires a configured host to be named in the certificate", async () => {
    for (const host of ["web.example", "WEB.example", "one.apps.example", "192.0.2.7", "2001:db8::7"]) {
      assertResult(await verify(leaf.certificate, { host }), { outcome: "verified" });
    }
    for (const host of ["example", "two.one.apps.example", "192.0.2.8", "2001:db8::8"]) {
      assertResult(await verify(leaf.certificate, { host }), { outcome: "misconfigured", code: "name-mismatch" });
    }
  });

  test("uses the context's time: a certificate is valid up to its end date and expired after it", async () => {
    const day = 86_400_000;
    const expected = { outcome: "rejected", code: "certificate-expired" } as const;
    assertResult(await verify(leaf.certificate, {}, new Date(Date.now() + 29 * day)), { outcome: "verified" });
    assertResult(await verify(leaf.certificate, {}, new Date(Date.now() + 31 * day)), expected);
    assert.equal(factsOf(await verify(leaf.certificate, {}, new Date(Date.now() + 40 * day)))["daysLeft"], -11);
  });

  test("a leaf that outlives its issuer expires with it", async () => {
    const later = new Date(Date.now() + 45 * 86_400_000);
    const long = await intermediate.issue(["web.example"], { untilDay: 90 });
    assertResult(await verify(long.certificate, {}, later), { outcome: "verified" });
    const result = await verify(long.certificate + intermediate.certificate, {}, later);
    assertResult(result, { outcome: "rejected", code: "certificate-expired" });
    assert.match(result.message, /issuer's certificate \(2 of 2\)/);
  });

  test("opens an encrypted key with its passphrase, and reports a missing or wrong one", async () => {
    const passphrase = "correct horse";
    const encrypted = createPrivateKey(leaf.privateKey)
      .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase })
      .toString();
    const stored = (phrase: string) =>
      JSON.stringify({ certificate: leaf.certificate, private_key: encrypted, passphrase: phrase });
    assertResult(await verify(stored(passphrase)), { outcome: "verified" });
    const wrong = await verify(stored("wrong horse"));
    assertResult(wrong, { outcome: "misconfigured", code: "bad-input" });
    assert.match(wrong.message, /Wrong passphrase/);
    const missing = await verify(leaf.certificate + encrypted);
    assertResult(missing, { outcome: "misconfigured", code: "bad-input" });
    assert.match(missing.message, /is encrypted/);
  });

  test("refuses text without a certificate, a damaged one, two keys or a whole certificate store", async () => {
    const damaged = leaf.certificate.replace(/\n.{20}/, `\n${randomBytes(15).toString("base64")}`);
    const bad = [
      leaf.privateKey,
      damaged,
      whole(leaf) + root.privateKey,
      leaf.certificate.repeat(21),
      leaf.certificate.replace("-----END CERTIFICATE-----", ""),
      JSON.stringify({ private_key: leaf.privateKey }),
    ];
    for (const secret of bad) assertResult(await verify(secret), { outcome: "misconfigured", code: "bad-input" });
  });

  test("processes 64 KiB of hostile text in no noticeable time", async () => {
    const times: number[] = [];
    // The machine may cause one slow run, but not three.
    for (let time = 0; time < 3; time += 1) {
      const result = await verify("-----BEGIN CERTIFICATE-----".repeat(2_400));
      assertResult(result, { outcome: "misconfigured", code: "bad-input" });
      times.push(result.durationMs);
    }
    assert.ok(Math.min(...times) < 200, `${String(times)} ms`);
  });
});
