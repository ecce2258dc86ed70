// Tests which discovered accounts a rule matches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesPattern, matchesRule } from "./rules.policy.ts";

test("a pattern with * matches any characters in its place, ignoring case", () => {
  const cases: [string, string, boolean][] = [
    ["root", "ROOT", true],
    ["root", "roots", false],
    ["svc-*", "svc-backup", true],
    ["svc-*", "a svc-backup", false],
    ["*,ou=servers,dc=example,dc=com", "cn=db,OU=Servers,DC=example,DC=com", true],
    ["a*b*c", "aXXbYYc", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["*", "", true],
    ["", "x", false],
    [".*", "anything", false],
    ["%", "anything", false],
  ];
  for (const [pattern, text, isMatch] of cases) {
    assert.equal(matchesPattern(pattern, text), isMatch, `${pattern} and ${text}`);
  }
});

test("a long pattern of wildcards is matched in bounded time", () => {
  const started = performance.now();
  assert.equal(matchesPattern("a*".repeat(250) + "b", "a".repeat(500)), false);
  assert.ok(performance.now() - started < 1000);
});

test("every condition of a rule must hold", () => {
  const any = { target_id: null, name_pattern: null, dn_pattern: null, is_privileged: null };
  const account = { target_id: "t", account_name: "svc-db", is_privileged: true, facts: { dn: "cn=svc-db,ou=a" } };
  assert.equal(matchesRule(any, account), true);
  const all = { target_id: "t", name_pattern: "svc-*", dn_pattern: "*,ou=a", is_privileged: true };
  assert.equal(matchesRule(all, account), true);
  for (const wrong of [
    { target_id: "u" },
    { name_pattern: "x*" },
    { dn_pattern: "*,ou=b" },
    { is_privileged: false },
  ]) {
    assert.equal(matchesRule({ ...all, ...wrong }, account), false, JSON.stringify(wrong));
  }
  assert.equal(matchesRule({ ...any, dn_pattern: "*" }, { ...account, facts: {} }), false);
});
