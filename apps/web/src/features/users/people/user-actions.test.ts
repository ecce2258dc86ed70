import { describe, expect, test } from "vitest";
import { aUser } from "../testing/a-user.ts";
import { wordsOf } from "./user-actions.ts";

const user = aUser({ name: "Ana", email: "ana@example.test", role: "user", requested_role: "manager" });

describe("confirmations of user actions", () => {
  test("a role change names both roles and says that the user's sessions will end", () => {
    const { title, sentence, done } = wordsOf({ kind: "role", user, role: "manager" });
    expect(title).toBe("Change Ana's Role to Manager");
    expect(sentence).toBe("Ana changes from User to Manager. Their sessions end and they must sign in again.");
    expect(done).toBe("Ana is now Manager");
  });

  test("making a user an administrator uses the danger variant", () => {
    expect(wordsOf({ kind: "role", user, role: "admin" }).variant).toBe("danger");
    expect(wordsOf({ kind: "role", user, role: "manager" }).variant).toBe("warning");
  });

  test("disabling, enabling and ending sessions each describe their effect", () => {
    expect(wordsOf({ kind: "status", user, status: "disabled" }).sentence).toMatch(/signed out everywhere immediately/);
    expect(wordsOf({ kind: "status", user, status: "active" }).sentence).toMatch(/can sign in again/);
    expect(wordsOf({ kind: "end-sessions", user }).sentence).toMatch(/signed out everywhere immediately/);
  });

  test("deleting says what will be destroyed and what will be kept", () => {
    const { sentence, variant } = wordsOf({ kind: "delete", user });
    expect(sentence).toMatch(/credentials in their vault are permanently deleted/);
    expect(sentence).toMatch(/The audit trail is kept/);
    expect(variant).toBe("danger");
  });

  test("a role request names the requested role", () => {
    expect(wordsOf({ kind: "role-request", user, decision: "approve" }).sentence).toMatch(/becomes Manager/);
    expect(wordsOf({ kind: "role-request", user, decision: "deny" }).sentence).toMatch(/stays User/);
  });
});
