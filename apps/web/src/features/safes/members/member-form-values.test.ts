import { PERMISSIONS_OF_ROLE, SAFE_PERMISSIONS } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import {
  EMPTY_MEMBER,
  checkMember,
  editPayloadOf,
  formOf,
  grantablePermissions,
  isRoleGrantable,
  localTimeOf,
  newPayloadOf,
  withPermission,
  withRole,
} from "./member-form-values.ts";
import { groupValue } from "./principal-value.ts";
import { aMember } from "../testing/a-safe.ts";

const BEN = { value: "77777777-7777-4777-8777-777777777777", label: "Ben" };

describe("values of the membership form", () => {
  test("a preset role sets its permissions, and custom keeps the current ones", () => {
    const auditor = withRole(EMPTY_MEMBER, "auditor");
    expect(auditor.permissions).toEqual(PERMISSIONS_OF_ROLE.auditor);
    expect(withRole(auditor, "custom").permissions).toEqual(PERMISSIONS_OF_ROLE.auditor);
  });

  test("changing one permission makes the role custom, and always includes list", () => {
    const more = withPermission(EMPTY_MEMBER, "delete", true);
    expect(more).toMatchObject({ role: "custom", permissions: ["list", "use", "retrieve", "delete"] });
    expect(withPermission(more, "list", false).permissions).toContain("list");
    expect(withPermission(more, "use", false).permissions).toEqual(["list", "retrieve", "delete"]);
  });

  test("sends users and groups in separate fields, and permissions only with a custom role", () => {
    expect(newPayloadOf({ ...EMPTY_MEMBER, who: BEN })).toEqual({ user_id: BEN.value, role: "user", expires_at: null });
    const group = { value: groupValue("66666666-6666-4666-8666-666666666666"), label: "Operators" };
    expect(newPayloadOf({ ...withPermission(EMPTY_MEMBER, "use", false), who: group })).toEqual({
      group_id: "66666666-6666-4666-8666-666666666666",
      role: "custom",
      permissions: ["list", "retrieve"],
      expires_at: null,
    });
  });

  test("an expiry passes through the form to the minute, in the local time zone", () => {
    const moment = "2030-03-04T05:06:00.000Z";
    const form = formOf(aMember({ expires_at: moment }));
    expect(form.expires).toBe(localTimeOf(moment));
    expect(form.expires).toMatch(/^2030-03-0\dT\d\d:\d6$/);
    expect(editPayloadOf(form).expires_at).toBe(moment);
  });

  test("requires a user or group, and an expiry in the future", () => {
    const now = Date.now();
    expect(checkMember(EMPTY_MEMBER, now)).toEqual({ who: "Choose a user or a group" });
    const past = { ...EMPTY_MEMBER, who: BEN, expires: localTimeOf(now - 120_000) };
    expect(checkMember(past, now)).toEqual({ expires: "The expiry must be in the future" });
    expect(checkMember({ ...past, expires: localTimeOf(now + 120_000) }, now)).toEqual({});
  });

  test("limits permissions to those of the caller and the member; administrators can grant all", () => {
    const may = grantablePermissions({ isAdmin: false, permissions: ["list", "use", "manage_members"] }, ["delete"]);
    expect([...may].toSorted()).toEqual(["delete", "list", "manage_members", "use"]);
    expect(isRoleGrantable("user", may)).toBe(false);
    expect(isRoleGrantable("custom", may)).toBe(true);
    const admins = grantablePermissions({ isAdmin: true, permissions: ["list"] });
    expect(admins.size).toBe(SAFE_PERMISSIONS.length);
    expect(isRoleGrantable("owner", admins)).toBe(true);
  });
});
