import { describe, expect, test } from "vitest";
import { SECRET_LENGTH, generateSecret } from "./generate-secret.ts";

describe("a generated secret", () => {
  test("has 24 characters, from all four classes, none of them easily mistaken", () => {
    for (let round = 0; round < 200; round += 1) {
      const secret = generateSecret();
      expect(secret).toHaveLength(SECRET_LENGTH);
      expect(secret).toMatch(/[a-z]/);
      expect(secret).toMatch(/[A-Z]/);
      expect(secret).toMatch(/[0-9]/);
      expect(secret).toMatch(/[^a-zA-Z0-9]/);
      expect(secret).not.toMatch(/[0O1lI"'\\\s`]/);
    }
  });

  test("throws away bytes that would make some characters likelier", () => {
    // 255 is beyond the last whole multiple of the alphabet: were it used, this would never end.
    let next = 0;
    const bytes = generateSecret((byte) => {
      byte[0] = next % 2 === 0 ? 255 : (next >> 1) % 67;
      next += 1;
    });
    expect(bytes).toHaveLength(SECRET_LENGTH);
  });

  test("two are never the same", () => {
    const many = new Set(Array.from({ length: 500 }, () => generateSecret()));
    expect(many.size).toBe(500);
  });
});
