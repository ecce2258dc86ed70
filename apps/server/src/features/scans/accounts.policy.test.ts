// Tests of the findings about accounts.
import type { ListedAccount } from "@strongroom/connectors";
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountFindings } from "./accounts.policy.ts";

const KEY = `SHA256:${"a".repeat(43)}`;

const anAccount = (name: string, facts: Record<string, unknown>, isLocked = false): ListedAccount => ({
  name,
  isPrivileged: false,
  isLocked,
  passwordChangedAt: null,
  expiresAt: null,
  lastLoginAt: null,
  facts: { uid: 1001, shell: "/bin/bash", passwordStatus: "set", keys: [], ...facts },
});
const found = (...accounts: ListedAccount[]) =>
  accountFindings(accounts, { hash: (text) => text, at: new Date(0) }).map(({ path, found: list }) => [
    path,
    ...list.map(({ class: kind }) => kind),
  ]);

test("a service account with a password and a shell is a finding", () => {
  assert.deepEqual(found(anAccount("www", { uid: 33 })), [["account:www", "service_login"]]);
});

test("a service account without a shell, a password or an unlocked login is not a finding", () => {
  assert.deepEqual(
    found(
      anAccount("a", { uid: 33, shell: "/usr/sbin/nologin" }),
      anAccount("b", { uid: 33, passwordStatus: "locked" }),
      anAccount("c", { uid: 33 }, true),
    ),
    [["account:a"], ["account:b"], ["account:c"]],
  );
});

test("people and root are not service accounts", () => {
  assert.deepEqual(found(anAccount("ada", {}), anAccount("root", { uid: 0 })), [["account:ada"], ["account:root"]]);
});

test("each account of a shared key is a finding", () => {
  assert.deepEqual(found(anAccount("ada", { keys: [KEY] }), anAccount("bob", { keys: [KEY] }), anAccount("eve", {})), [
    ["account:ada", "shared_key"],
    ["account:bob", "shared_key"],
    ["account:eve"],
  ]);
});
