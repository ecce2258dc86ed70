import { PERMISSIONS_OF_ROLE, SAFE_PERMISSIONS } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import {
  EMPTY_MEMBER,
  checkMember,
  editPayloadOf,
  formOf,
  givable,
  isRoleGivable,
  localTimeOf,
  newPayloadOf,
  withPermission,
  withRole,
} from "./member-form-values.ts";
import { groupValue } from "./principal-value.ts";
import { aMember } from "./testing/a-safe.ts";

const BEN = { value: "77777777-7777-4777-8777-777777777777", label: "Ben" };

describe("the form of a membership", () => {
  test("a ready-made role fills in its permissions; custom begins with those at hand", () => {
    const auditor = withRole(EMPTY_MEMBER, "auditor");
    expect(auditor.permissions).toEqual(PERMISSIONS_OF_ROLE.auditor);
    expect(withRole(auditor, "custom").permissions).toEqual(PERMISSIONS_OF_ROLE.auditor);
  });

  test("one permission more or less makes the role custom; to list comes with the others and stays", () => {
    const more = withPermission(EMPTY_MEMBER, "delete", true);
    expect(more).toMatchObject({ role: "custom", permissions: ["list", "use", "retrieve", "delete"] });
    expect(withPermission(more, "list", false).permissions).toContain("list");
    expect(withPermission(more, "use", false).permissions).toEqual(["list", "retrieve", "delete"]);
  });

  test("a person and a group travel in their own fields, permissions only with a custom role", () => {
    expect(newPayloadOf({ ...EMPTY_MEMBER, who: BEN })).toEqual({ user_id: BEN.value, role: "user", expires_at: null });
    const group = { value: groupValue("66666666-6666-4666-8666-666666666666"), label: "Operators" };
    expect(newPayloadOf({ ...withPermission(EMPTY_MEMBER, "use", false), who: group })).toEqual({
      group_id: "66666666-6666-4666-8666-666666666666",
      role: "custom",
      permissions: ["list", "retrieve"],
      expires_at: null,
    });
  });

  test("an expiry goes to the field and back to the minute, in the reader's own zone", () => {
    const moment = "2030-03-04T05:06:00.000Z";
    const form = formOf(aMember({ expires_at: moment }));
    expect(form.expires).toBe(localTimeOf(moment));
    expect(form.expires).toMatch(/^2030-03-0\dT\d\d:\d6$/);
    expect(editPayloadOf(form).expires_at).toBe(moment);
  });

  test("somebody has to be chosen, and the expiry lies ahead", () => {
    const now = Date.now();
    expect(checkMember(EMPTY_MEMBER, now)).toEqual({ who: "Choose a user or a group" });
    const past = { ...EMPTY_MEMBER, who: BEN, expires: localTimeOf(now - 120_000) };
    expect(checkMember(past, now)).toEqual({ expires: "The expiry must lie in the future" });
    expect(checkMember({ ...past, expires: localTimeOf(now + 120_000) }, now)).toEqual({});
  });

  test("nobody gives more than they have, but what the member has may stay; an administrator gives everything", () => {
    const may = givable({ isAdmin: false, permissions: ["list", "use", "manage_members"] }, ["delete"]);
    expect([...may].toSorted()).toEqual(["delete", "list", "manage_members", "use"]);
    expect(isRoleGivable("user", may)).toBe(false);
    expect(isRoleGivable("custom", may)).toBe(true);
    const admins = givable({ isAdmin: true, permissions: ["list"] });
    expect(admins.size).toBe(SAFE_PERMISSIONS.length);
    expect(isRoleGivable("owner", admins)).toBe(true);
  });
});
