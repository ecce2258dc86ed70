// Tests how addresses appear to users who may not list users.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hintsFor, maskedAddress } from "./masked-address.ts";

test("a masked address shows the first letter and the domain", () => {
  assert.equal(maskedAddress("ada.lovelace@example.com"), "a…@example.com");
  assert.equal(maskedAddress("a@example.com"), "…@example.com");
  assert.equal(maskedAddress("ab@example.com"), "a…@example.com");
});

test("a unique name has no hint", () => {
  assert.deepEqual(hintsFor([{ name: "Ada", email: "ada@example.com" }]), [null]);
});

test("shows as few characters as needed to distinguish users with the same name", () => {
  const named = (...emails: string[]) => hintsFor(emails.map((email) => ({ name: "Ada", email })));
  assert.deepEqual(named("ada@example.com", "byron@example.com"), ["a…@example.com", "b…@example.com"]);
  assert.deepEqual(named("person41@example.com", "person42@example.com"), ["p…1@example.com", "p…2@example.com"]);
  assert.deepEqual(named("adam.jones@example.com", "adrian.jones@example.com").length, 2);
  for (const hint of named("alexander@example.com", "alexandra@example.com")) assert.match(hint!, /^al?….*@example/);
});

test("a group with the same name as a user has no hint", () => {
  const both = [
    { name: "Ops", email: null },
    { name: "ops ", email: "ops@example.com" },
  ];
  assert.deepEqual(hintsFor(both), [null, "o…@example.com"]);
});
