import { describe, expect, test } from "vitest";
import { exampleOf, type ExampleRules } from "./example-password.ts";

const RULES: ExampleRules = {
  length: 24,
  max_length: 128,
  min_lowercase: 1,
  min_uppercase: 1,
  min_digits: 1,
  min_symbols: 1,
  symbols: "!#%+",
  forbidden_characters: "",
  begins_with_letter: false,
};
const ROUNDS = 200;
const passwordOf = (rules: ExampleRules): string => {
  const example = exampleOf(rules);
  return "password" in example ? example.password : `no password: ${example.problem}`;
};
const countOf = (text: string, of: RegExp): number => [...text].filter((character) => of.test(character)).length;

describe("exampleOf", () => {
  test("follows every rule in each of many draws", () => {
    const rules = {
      ...RULES,
      length: 12,
      min_lowercase: 2,
      min_uppercase: 3,
      min_digits: 3,
      min_symbols: 2,
      forbidden_characters: "0O1lI!",
      begins_with_letter: true,
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const password = passwordOf(rules);
      expect(password).toMatch(/^[A-Za-z][A-Za-z0-9#%+]{11}$/);
      expect(password).not.toMatch(/[0O1lI!]/);
      expect(countOf(password, /[a-z]/)).toBeGreaterThanOrEqual(2);
      expect(countOf(password, /[A-Z]/)).toBeGreaterThanOrEqual(3);
      expect(countOf(password, /\d/)).toBeGreaterThanOrEqual(3);
      expect(countOf(password, /[#%+]/)).toBeGreaterThanOrEqual(2);
    }
  });

  test("begins with a letter even if digits and symbols fill all other positions", () => {
    const rules = {
      ...RULES,
      length: 8,
      min_lowercase: 0,
      min_uppercase: 0,
      min_digits: 7,
      min_symbols: 0,
      symbols: "",
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(passwordOf({ ...rules, begins_with_letter: true })).toMatch(/^[A-Za-z]\d{7}$/);
    }
  });

  test("keeps every required digit and symbol when it has to begin with a letter", () => {
    const rules = {
      ...RULES,
      length: 7,
      min_lowercase: 0,
      min_uppercase: 0,
      min_digits: 3,
      min_symbols: 3,
      begins_with_letter: true,
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const password = passwordOf(rules);
      expect(password).toMatch(/^[A-Za-z]/);
      expect([countOf(password, /\d/), countOf(password, /[!#%+]/)]).toEqual([3, 3]);
    }
  });

  test("reports the entropy: 24 characters of 66 have 145 bits", () => {
    expect(exampleOf(RULES)).toMatchObject({ bits: 145 });
  });

  test.each([
    [{ forbidden_characters: "0123456789" }, "The rules require digits but allow none."],
    [{ symbols: "" }, "The rules require symbols but allow none."],
    [{ min_symbols: 40 }, "The password length is too short for the required characters."],
    [{ length: 200 }, "The length exceeds the target's maximum."],
    [
      { begins_with_letter: true, min_lowercase: 0, min_uppercase: 0, min_digits: 24, min_symbols: 0 },
      "Passwords must begin with a letter, but digits and symbols fill the whole length.",
    ],
  ])("returns the problem of rules that no password can satisfy (%o)", (given, problem) => {
    expect(exampleOf({ ...RULES, ...given })).toEqual({ problem });
  });

  test("supports the maximum length", () => {
    expect(passwordOf({ ...RULES, length: 256, max_length: 1024 })).toHaveLength(256);
  });
});
