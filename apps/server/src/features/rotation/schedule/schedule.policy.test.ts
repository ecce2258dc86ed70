// Tests the pure rules of rotation schedules, new passwords and reconcile hosts.
import type { PasswordRules } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { DEFAULT_RULES, generatePassword } from "../engine/make-candidate.ts";
import { mayReconcileAt } from "../reconcile/reconcile-scope.policy.ts";
import { isDue, isWithin, jitterOf } from "./start-due.ts";
import type { Timing } from "./start-due.ts";

const at = (hour: number, minute = 0) => new Date(Date.UTC(2026, 4, 1, hour, minute));

test("a window may span midnight and excludes its end", () => {
  const night = { from_hour: 22, to_hour: 4 };
  const inside = [...Array(24).keys()].filter((hour) => isWithin(night, at(hour)));
  assert.deepEqual(inside, [0, 1, 2, 3, 22, 23]);
  assert.deepEqual(
    [isWithin({ from_hour: 9, to_hour: 10 }, at(9, 59)), isWithin({ from_hour: 9, to_hour: 10 }, at(10))],
    [true, false],
  );
  assert.ok(isWithin(null, at(12)));
});

test("the jitter spreads accounts that are due together; it is constant for each account, within the limit, and never negative", () => {
  const ids = Array.from({ length: 500 }, (_, i) => `0190c0de-0000-7000-8000-${String(i).padStart(12, "0")}`);
  const spread = ids.map((id) => jitterOf(id, 60));
  assert.deepEqual(
    spread,
    ids.map((id) => jitterOf(id, 60)),
  );
  assert.ok(spread.every((ms) => ms >= 0 && ms <= 3_600_000));
  const quarters = [0, 1, 2, 3].map((each) => spread.filter((ms) => Math.floor(ms / 900_001) === each).length);
  assert.ok(
    quarters.every((count) => count > 80),
    String(quarters),
  );
  assert.equal(jitterOf(ids[0]!, 0), 0);
});

test("an account is due after its interval and inside its window; a requested rotation ignores both", () => {
  const due: Timing = { id: "x", rotatedAt: at(0), everyDays: 30, window: null, jitterMinutes: 0, isWanted: false };
  const later = (days: number, hour = 0) => new Date(at(hour).getTime() + days * 86_400_000);
  assert.deepEqual([isDue(due, later(29)), isDue(due, later(30))], [false, true]);
  const night = { ...due, window: { from_hour: 2, to_hour: 3 } };
  assert.deepEqual([isDue(night, later(30, 1)), isDue(night, later(30, 2))], [false, true]);
  assert.equal(isDue({ ...due, everyDays: null }, later(999)), false);
  assert.equal(isDue({ ...night, everyDays: null, isWanted: true }, later(0)), true);
});

const count = (text: string, pattern: RegExp) => [...text].filter((character) => pattern.test(character)).length;

test("a new password meets every rule of its platform and every limit of its target", () => {
  for (let world = 0; world < 400; world++) {
    const rules: PasswordRules = {
      length: randomInt(8, 40),
      max_length: randomInt(8, 64),
      min_lowercase: randomInt(4),
      min_uppercase: randomInt(4),
      min_digits: randomInt(4),
      min_symbols: randomInt(4),
      symbols: "!#%+-.:=@_~".slice(0, randomInt(1, 12)),
      forbidden_characters: ["", "lI1O0", "abc!#"][randomInt(3)]!,
      begins_with_letter: randomInt(2) === 1,
      history: 5,
    };
    const limits = { ...(randomInt(2) === 1 ? { maxLength: randomInt(12, 30) } : {}), forbidden: "@" };
    const password = generatePassword(rules, limits);
    const symbols = [...rules.symbols].filter((each) => !`${rules.forbidden_characters}@`.includes(each));
    const length = Math.min(rules.length, rules.max_length, limits.maxLength ?? Infinity);
    const asked = rules.min_lowercase + rules.min_uppercase + rules.min_digits + rules.min_symbols;
    const isPossible =
      asked <= length &&
      (rules.min_symbols === 0 || symbols.length > 0) &&
      (!rules.begins_with_letter || asked < length || rules.min_lowercase + rules.min_uppercase > 0);
    assert.equal(password !== null, isPossible, JSON.stringify({ rules, limits }));
    if (password === null) continue;
    assert.equal(password.length, length);
    assert.ok(count(password, /[a-z]/) >= rules.min_lowercase && count(password, /[A-Z]/) >= rules.min_uppercase);
    assert.ok(count(password, /[0-9]/) >= rules.min_digits);
    assert.ok([...password].filter((each) => symbols.includes(each)).length >= rules.min_symbols);
    assert.ok(![...password].some((each) => `${rules.forbidden_characters}@`.includes(each)));
    if (rules.begins_with_letter) assert.match(password, /^[A-Za-z]/);
  }
});

test("every character of a new password is equally likely at every position, except a first one that must be a letter", () => {
  const rules = {
    ...DEFAULT_RULES,
    length: 8,
    min_lowercase: 0,
    min_uppercase: 0,
    min_digits: 1,
    min_symbols: 0,
    begins_with_letter: false,
  };
  const digitsAt = Array.from({ length: 8 }, () => 0);
  const seen = new Map<string, number>();
  for (let i = 0; i < 8_000; i++) {
    for (const [index, character] of [...generatePassword(rules)!].entries()) {
      if (/[0-9]/.test(character)) digitsAt[index]! += 1;
      if (/[a-z]/.test(character)) seen.set(character, (seen.get(character) ?? 0) + 1);
    }
  }
  assert.ok(Math.min(...digitsAt) > 0.85 * Math.max(...digitsAt), String(digitsAt));
  assert.equal(seen.size, 26);
  assert.ok(Math.min(...seen.values()) > 0.75 * Math.max(...seen.values()));
});

test("INVARIANT: a reconcile account's secret goes only to its own host and to those that an administrator listed", () => {
  const named = ["db2.example.com", "*.prod.example.com", "10.1.0.0/16", "fd00::/8", "192.0.2.7"];
  const own = "DB1.example.com";
  for (const host of [
    "db1.EXAMPLE.com",
    "db2.example.com",
    "a.b.prod.example.com",
    "10.1.255.1",
    "[fd12::1]",
    "192.0.2.7",
  ]) {
    assert.ok(mayReconcileAt(host, own, named), host);
  }
  const others = [
    "evil.example",
    "prod.example.com",
    "xprod.example.com",
    "10.2.0.1",
    "fe80::1",
    "192.0.2.70",
    "10.1.0.1.evil.example",
  ];
  for (const host of [...others, "", null]) assert.ok(!mayReconcileAt(host, own, named), String(host));
  assert.ok(!mayReconcileAt("db1.example.com", null, []));
  assert.ok(!mayReconcileAt("10.1.0.1", null, ["10.1.0.0/99", "nonsense/8", "*."]));
});
