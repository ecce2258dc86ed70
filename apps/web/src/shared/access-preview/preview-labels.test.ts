import type { AccessPreview, PermissionChange, PersonChange } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import { linesOf, summaryOf, unshown } from "./preview-labels.ts";

const none = { accounts_gained: 0, accounts_lost: 0, accounts_askable: 0, safes_gained: 0, safes_lost: 0 };
const person = (changes: Partial<PermissionChange>[], grants_lost = 0): PersonChange => ({
  user_id: "77777777-7777-4777-8777-777777777777" as PersonChange["user_id"],
  name: "Ben",
  email: "ben@example.test",
  changes: changes.map((each) => ({ permission: "use", ...none, ...each })),
  grants_lost,
});

describe("the lines of one user", () => {
  test("the lines list gains before losses, and lost grants last", () => {
    const lines = linesOf(
      person(
        [
          { permission: "use", accounts_lost: 3, accounts_askable: 2, safes_lost: 1 },
          { permission: "list", accounts_gained: 1, safes_gained: 1 },
        ],
        2,
      ),
    );
    expect(lines).toEqual([
      { kind: "gains", what: "List accounts", where: "1 account", note: null },
      { kind: "loses", what: "Use accounts", where: "3 accounts", note: "2 still available with approval" },
      { kind: "loses", what: "Active grants", where: "2 accounts", note: null },
    ]);
  });

  test("an empty safe counts as a safe", () => {
    expect(linesOf(person([{ permission: "add", safes_gained: 2 }]))[0]?.where).toBe("2 safes without accounts");
  });
});

test("the summary counts users who gain and lose, accounts, and unlisted users", () => {
  const preview: AccessPreview = { people_gaining: 1, people_losing: 120, accounts: 7, people: [person([])] };
  expect(summaryOf(preview)).toBe("1 person would gain, 120 people would lose access, on 7 accounts.");
  expect(summaryOf({ ...preview, people_losing: 0 })).toBe("1 person would gain access, on 7 accounts.");
  expect(summaryOf({ ...preview, people_gaining: 0, people_losing: 0 })).toBe("No one would gain or lose access.");
  expect(unshown(preview)).toBe(119);
});
