// Tests that send email to a real SMTP server on loopback.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { openMail } from "./mail.ts";
import { smtpSink } from "./testing/smtp-sink.ts";

const mailFrom = "Strongroom <vault@example.com>";
const aMail = { to: "person@example.com", subject: "A subject", text: "A text with ünïcode.\n.\nand a lone dot\n" };

test("an email arrives as complete plain text with exactly one recipient", async () => {
  const sink = await smtpSink();
  const mail = openMail({ smtpUrl: sink.url, mailFrom });
  const arriving = sink.next();
  await mail.send(aMail);
  const { from, to, raw, text } = await arriving;
  assert.equal(from, "vault@example.com");
  assert.deepEqual(to, [aMail.to]);
  assert.match(raw, /^Content-Type: text\/plain; charset=utf-8\r$/m);
  assert.equal(text.trimEnd(), aMail.text.trimEnd());
  mail.close();
  await sink.close();
});

test("a name or subject with line breaks adds no header and no recipient", async () => {
  const sink = await smtpSink();
  const mail = openMail({ smtpUrl: sink.url, mailFrom });
  const arriving = sink.next();
  await mail.send({ ...aMail, subject: "Hello\r\nBcc: other@example.com\r\n\r\nbody" });
  const { to, raw } = await arriving;
  assert.deepEqual(to, [aMail.to]);
  assert.doesNotMatch(raw.slice(0, raw.indexOf("\r\n\r\n")), /^Bcc:/m);
  mail.close();
  await sink.close();
});

test("sending uses the user name and password of the SMTP URL, and never reveals them when they are wrong", async () => {
  const tried: unknown[] = [];
  const sink = await smtpSink({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      tried.push([username, password]);
      if (password === "right-secret") done(null, { user: username });
      else done(Object.assign(new Error("Authentication failed"), { responseCode: 535 }));
    },
  });
  const { port } = new URL(sink.url);
  const right = openMail({ smtpUrl: `smtp://user:right-secret@127.0.0.1:${port}`, mailFrom });
  await right.send(aMail);
  const wrong = openMail({ smtpUrl: `smtp://user:wrong-secret@127.0.0.1:${port}`, mailFrom });
  await assert.rejects(wrong.send(aMail), (error: Error) => {
    assert.match(error.message, /535/);
    assert.ok(!inspect(error, { showHidden: true, depth: null }).includes("wrong-secret"));
    return true;
  });
  assert.deepEqual(tried[0], ["user", "right-secret"]);
  for (const mail of [right, wrong]) mail.close();
  await sink.close();
});

test("a server with an untrusted certificate gets no email", async () => {
  // smtp-server has a self-signed certificate for localhost.
  for (const options of [{ secure: true }, { hideSTARTTLS: false }]) {
    const sink = await smtpSink(options);
    const mail = openMail({ smtpUrl: sink.url, mailFrom });
    await assert.rejects(mail.send(aMail), /certificate|altnames|self-signed/i);
    assert.equal(sink.count, 0);
    mail.close();
    await sink.close();
  }
});

test("a server that does not answer causes an error that contains no part of the email", async () => {
  const sink = await smtpSink();
  await sink.close();
  const mail = openMail({ smtpUrl: sink.url, mailFrom });
  await assert.rejects(mail.send(aMail), (error: Error) => {
    assert.match(error.message, /ECONNREFUSED/);
    assert.ok(!inspect(error, { showHidden: true, depth: null }).includes("lone dot"));
    return true;
  });
  mail.close();
});

test("without an SMTP server, `isConfigured` is false and sending throws", async () => {
  const mail = openMail({ smtpUrl: null, mailFrom });
  assert.equal(mail.isConfigured, false);
  await assert.rejects(mail.send(aMail), /no SMTP server/);
});
