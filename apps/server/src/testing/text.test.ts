// Tests that names, which other users see, cannot contain invisible control characters.
import { createCredential, register, revealCredential } from "@strongroom/contract";
import type { Problem } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential, aSecret } from "./credentials.ts";
import { aPerson, firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

let app: TestApp;
let person: TestPerson;
before(async () => {
  app = await testApp();
  await firstAdmin(app);
  person = await aPerson(app);
});
after(() => app.close());

const UNSEEN: Record<string, string> = {
  "a space without a width": "\u200b",
  "a soft hyphen": "\u00ad",
  "an invisible filler": "\u3164",
  "a line feed": "\n",
  "a tabulator": "\t",
  "an escape": "\u001b",
  "a delete": "\u007f",
  "a control of the second set": "\u0085",
  "a line separator": "\u2028",
  "a paragraph separator": "\u2029",
  "a right-to-left override": "\u202e",
  "an isolate": "\u2066",
};

const credential = (changes: object) =>
  app.call(createCredential, {
    body: { name: "A name", type: "application", value: aSecret(), ...changes },
    as: person.token,
  });
const issuesOf = (reply: { body: unknown }) => (reply.body as Problem).errors;

describe("a name", () => {
  for (const [what, sign] of Object.entries(UNSEEN)) {
    test(`is refused with its field and an explanation if it contains ${what}`, async () => {
      const text = `before${sign}after`;
      for (const field of ["name", "username", "host", "database_name", "schema_name"]) {
        const reply = await credential({ [field]: text });
        assert.equal(reply.status, 400, field);
        assert.deepEqual(issuesOf(reply), [{ path: field, msg: "Must be on one line, without control characters" }]);
      }
      const body = { email: "control@example.com", password: "a long enough password", name: text };
      const registered = await app.call(register, { body });
      assert.deepEqual([registered.status, issuesOf(registered)?.[0]?.path], [400, "name"]);
    });
  }

  test("is stored unchanged in any script, with accents, emoji and joined letters", async () => {
    for (const name of [
      "Žofie Müller",
      "日本語の名前",
      "عنوان الخادم",
      "می\u200cخواهم",
      "👩\u200d💻 laptop",
      "a\u00a0b c",
    ]) {
      const reply = await credential({ name });
      assert.deepEqual([reply.status, reply.body.name], [201, name]);
    }
  });

  test("is trimmed", async () => {
    assert.equal((await credential({ name: "  A name\n" })).body.name, "A name");
    assert.equal((await credential({ username: " \t " })).body.username, null);
  });
});

test("a reason may have several lines but no other invisible characters", async () => {
  const { id } = await aCredential(app, person);
  const reveal = (reason: string) => app.call(revealCredential, { params: { id }, body: { reason }, as: person.token });
  assert.equal((await reveal("Ticket 4711:\n\tthe nightly run failed.")).status, 200);
  for (const sign of ["\u001b[2J", "\u202e", "\u0085"]) {
    const reply = await reveal(`before${sign}after`);
    assert.deepEqual(issuesOf(reply), [{ path: "reason", msg: "Must not contain control characters" }]);
  }
});
