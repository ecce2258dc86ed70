import { randomUUID } from "node:crypto";
import type { Account } from "@strongroom/contract";
import { expect, test } from "vitest";
import { nearTime } from "#shared/format/time.ts";
import { noteOf } from "./account-note.ts";
import { anAccount } from "./testing/an-account.ts";

const NOW = Date.parse("2026-11-21T10:00:00.000Z");
const until = "2026-11-21T12:00:00.000Z";
const checkOut = (given: Partial<NonNullable<Account["check_out"]>> = {}): Account["check_out"] => ({
  user_id: "77777777-7777-4777-8777-777777777777" as NonNullable<Account["check_out"]>["user_id"],
  name: "Olga",
  since: "2026-11-21T11:00:00.000Z",
  until,
  is_own: false,
  ...given,
});

test("an account in its normal state has no note", () => expect(noteOf(anAccount(), NOW)).toBeNull());

test("a check-out shows the user and the end time", () => {
  const broken = { last_validation_status: "invalid", validation_message: "no" } as const;
  expect(noteOf(anAccount({ ...broken, check_out: checkOut() }), NOW)).toEqual({
    kind: "check-out",
    text: `Checked out by Olga until ${nearTime(until, NOW)}.`,
  });
  expect(noteOf(anAccount({ check_out: checkOut({ is_own: true }) }), NOW)?.text).toMatch(/^Checked out by you/);
});

test("a failed validation takes precedence over a required approval", () => {
  const account = anAccount({
    last_validation_status: "invalid",
    validation_message: "The server did not accept the password.",
    needs_approval: true,
  });
  expect(noteOf(account, NOW)).toEqual({ kind: "invalid", text: "The server did not accept the password." });
  expect(noteOf({ ...account, last_validation_status: "valid" }, NOW)?.kind).toBe("approval");
});

test("an access block takes precedence over everything except a check-out", () => {
  const access_block = { state: "stopped", since: until, message: "It stopped.", can_allow: true } as const;
  expect(noteOf(anAccount({ access_block }), NOW)).toEqual({ kind: "attention", text: "It stopped." });
  expect(noteOf(anAccount({ access_block: { ...access_block, state: "rotating" } }), NOW)?.kind).toBe("rotation");
  expect(noteOf(anAccount({ access_block, check_out: checkOut() }), NOW)?.kind).toBe("check-out");
});

test("a rotation that needs attention takes precedence over the validation result", () => {
  const open_rotation = { id: randomUUID() as never, state: "attention", message: "Both were refused." } as const;
  const broken = anAccount({ last_validation_status: "invalid", validation_message: "No.", open_rotation });
  expect(noteOf(broken, NOW)).toEqual({ kind: "attention", text: "Rotation needs attention: Both were refused." });
  expect(noteOf(anAccount({ open_rotation: { ...open_rotation, state: "running" } }), NOW)?.kind).toBe("rotation");
});
