import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anEntry } from "../testing/sample-log.ts";
import { cefLine, encodeEntry, decodeEntry, ocsfEvent, severityOf, severityToRecord, syslogLine } from "./index.ts";
import type { AuditEntry } from "./index.ts";

const PRODUCER = { version: "1.2.3" };
const ADA = { id: "3f0e1d8a-0c1b-4e6f-9a53-0d2c5b7f1a11", name: "Ada", role: "admin", session: "s-1" };
const request = { id: "r-1", ip: "192.0.2.7", agent: "Firefox" };
const revealed = anEntry(3, {
  id: "0190c0de-0000-7000-8000-00000000c0de",
  actor: ADA,
  target: { type: "account", id: "a-1", name: "Billing database" },
  severity: "high",
  reason: "incident 7",
  request,
});

/** Special characters of each format, and characters that look like line endings. */
const HOSTILE = 'a"]|b\\c=d]\r\nCEF:0|x\n<105>1 -\u2028\u2029\u0085\u0000\u001b[31m';
const hostile = anEntry(1, {
  actor: { ...ADA, name: HOSTILE },
  target: { type: "account", id: HOSTILE, name: HOSTILE },
  reason: HOSTILE,
  request: { id: HOSTILE, ip: HOSTILE, agent: HOSTILE },
  details: { said: HOSTILE },
});

const ONE_LINE = /^[^\p{Cc}\u2028\u2029]*$/u;

describe("the severity of an entry", () => {
  test("is the recorded severity, and low for routine entries, which record none", () => {
    assert.equal(severityOf(revealed), "high");
    assert.equal(severityOf(anEntry(0)), "low");
    assert.equal(severityToRecord("credential.revealed", "success"), undefined);
    assert.equal(severityToRecord("credential.revealed", "failure"), "medium");
    assert.equal(severityToRecord("audit.tampering-found", "failure"), "critical");
    assert.equal(severityToRecord("access-request.broken-glass", "success"), "high");
  });

  test("is part of the bytes that the tree covers, and accepts only known values", () => {
    assert.deepEqual(decodeEntry(encodeEntry(revealed)), revealed);
    assert.throws(
      () => encodeEntry({ ...revealed, severity: "dire" } as unknown as AuditEntry),
      /invalid audit entry severity/,
    );
  });
});

describe("Common Event Format", () => {
  test("has seven fields and the standard extension keys", () => {
    const line = cefLine({ entry: revealed, index: 41 }, PRODUCER);
    assert.equal(
      line.split(" cs6Label=")[0],
      "CEF:0|Strongroom|Strongroom|1.2.3|credential.revealed|credential revealed|8|rt=1795251603000 " +
        "externalId=0190c0de-0000-7000-8000-00000000c0de cat=credential act=credential.revealed outcome=success " +
        "reason=incident 7 suser=Ada suid=3f0e1d8a-0c1b-4e6f-9a53-0d2c5b7f1a11 spriv=admin src=192.0.2.7 " +
        "requestClientApplication=Firefox cs1Label=targetType cs1=account cs2Label=targetId cs2=a-1 " +
        "cs3Label=targetName cs3=Billing database cs4Label=requestId cs4=r-1 cs5Label=sessionId cs5=s-1",
    );
    assert.match(line, /cn1Label=leafIndex cn1=41 msg=/);
    const over6 = cefLine({ entry: anEntry(0, { request: { id: "r", ip: "2001:db8::1" } }), index: null }, PRODUCER);
    assert.match(over6, / c6a2Label=Source IPv6 Address c6a2=2001:db8::1 /);
  });

  test("no value in an entry starts another field, pair or line", () => {
    const line = cefLine({ entry: hostile, index: 1 }, PRODUCER);
    assert.match(line, ONE_LINE);
    assert.match(line, /^CEF:0\|(?:(?:[^|\\]|\\[|\\])*\|){6}rt=/);
    const keys = [...line.matchAll(/(?<!\\)=/g)].length;
    const honest = cefLine({ entry: { ...hostile, reason: "x" }, index: 1 }, PRODUCER);
    assert.equal([...honest.matchAll(/(?<!\\)=/g)].length, keys, "no value adds a pair");
  });
});

describe("RFC 5424", () => {
  test("is one message: priority, time, host, event, structured data, then the signed entry", () => {
    const line = syslogLine({ entry: revealed, index: 41 }, { hostname: "vault 1", processId: 7 });
    const [head, message] = line.split("\u{feff}");
    assert.equal(
      head,
      "<107>1 2026-11-21T09:00:03.000Z vault1 strongroom 7 credential.revealed " +
        '[strongroom@32473 id="0190c0de-0000-7000-8000-00000000c0de" event="credential.revealed" result="success" ' +
        'severity="high" actor="Ada" actorId="3f0e1d8a-0c1b-4e6f-9a53-0d2c5b7f1a11" targetType="account" ' +
        'targetId="a-1" targetName="Billing database" ip="192.0.2.7" requestId="r-1" reason="incident 7" ' +
        'leafIndex="41"] ',
    );
    assert.deepEqual(JSON.parse(message!), revealed);
  });

  test("no value in an entry ends the structured data or the line; the message can use a different format", () => {
    const message = () => cefLine({ entry: hostile, index: 1 }, PRODUCER);
    const line = syslogLine({ entry: hostile, index: 1 }, { hostname: HOSTILE, message });
    assert.match(line, /^<109>1 /);
    assert.match(line, ONE_LINE);
    const data = /\[(?:[^"\]\\]|"(?:[^"\\\]]|\\["\\\]])*")*\]/.exec(line)?.[0] ?? "";
    assert.ok(data.endsWith(' leafIndex="1"]'), data);
    assert.ok(line.split("\u{feff}")[1]?.startsWith("CEF:0|Strongroom|"));
  });
});

describe("OCSF 1.3", () => {
  test("an entry about an object is mapped to Entity Management, with every required attribute", () => {
    const event = ocsfEvent({ entry: revealed, index: 41 }, PRODUCER);
    assert.deepEqual(event, {
      activity_id: 2,
      category_uid: 3,
      class_uid: 3004,
      class_name: "Entity Management",
      type_uid: 300402,
      severity_id: 4,
      severity: "High",
      time: Date.parse(revealed.at),
      message: "Ada: credential.revealed account Billing database: success (incident 7)",
      status_id: 1,
      status: "Success",
      status_detail: "incident 7",
      metadata: {
        version: "1.3.0",
        product: { name: "Strongroom", vendor_name: "Strongroom", version: "1.2.3" },
        uid: revealed.id,
        event_code: "credential.revealed",
        correlation_uid: "r-1",
        sequence: 41,
      },
      actor: { user: { uid: ADA.id, name: "Ada", groups: [{ name: "admin" }] }, session: { uid: "s-1" } },
      src_endpoint: { ip: "192.0.2.7" },
      http_request: { user_agent: "Firefox" },
      entity: { uid: "a-1", type: "account", name: "Billing database" },
      unmapped: { details: { number: 3 } },
    });
  });

  test("maps sign-ins to Authentication, user changes to Account Change, and entries without a target to API Activity", () => {
    const classOf = (over: Partial<AuditEntry>) => {
      const { class_uid, activity_id, type_uid } = ocsfEvent({ entry: anEntry(0, over), index: null }, PRODUCER);
      assert.equal(type_uid, (class_uid as number) * 100 + (activity_id as number));
      return [class_uid, activity_id];
    };
    const target = { type: "user", id: "u-2", name: "Bob" };
    assert.deepEqual(classOf({ event: "session.started", target }), [3002, 1]);
    assert.deepEqual(classOf({ event: "session.ended", target }), [3002, 2]);
    assert.deepEqual(classOf({ event: "user.password-changed", target }), [3001, 3]);
    assert.deepEqual(classOf({ event: "safe.deleted" }), [3004, 4]);
    const { target: _none, ...bare } = anEntry(0, { event: "audit.exported" });
    const event = ocsfEvent({ entry: bare, index: null }, PRODUCER);
    assert.deepEqual([event["class_uid"], event["api"]], [6003, { operation: "audit.exported" }]);
  });
});
