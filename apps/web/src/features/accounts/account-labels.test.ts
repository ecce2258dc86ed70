import { expect, test } from "vitest";
import { anAccount } from "./testing/an-account.ts";
import { canConnect, rotationBadge } from "./account-labels.ts";

test.each([
  ["current", "Current"],
  ["due_soon", "Due Soon"],
  ["overdue", "Overdue"],
  ["no_policy", "No Policy"],
  ["what comes later", "Unknown"],
])("ACC-32: %s has the badge %s", (status, label) => expect(rotationBadge(status).label).toBe(label));

test.each([
  ["a member who may use it", {}, true],
  ["a member who may only list it", { my_permissions: ["list"] }, false],
  ["a disabled account", { status: "disabled" }, false],
  ["a different connection method", { connection_method: "RDP" }, false],
] as const)("canConnect returns the expected answer for %s", (_case, fields, expected) => {
  const account = anAccount({ status: "active", connection_method: "SSH" });
  const given = { ...account, my_permissions: ["list", "use"], my_grant: null, ...fields } as const;
  expect(canConnect({ ...given, my_permissions: [...given.my_permissions] })).toBe(expected);
});

test("canConnect returns true for a member with an active grant", () => {
  const granted = anAccount({ status: "active", connection_method: "SSH", my_permissions: ["list"] });
  expect(canConnect({ ...granted, my_grant: null })).toBe(false);
  expect(canConnect({ ...granted, my_grant: {} as NonNullable<typeof granted.my_grant> })).toBe(true);
});
