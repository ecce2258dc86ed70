import { describe, expect, test } from "vitest";
import { SECRET_LENGTH, generateSecret } from "./generate-secret.ts";

describe("generateSecret", () => {
  test("returns 24 characters from all four classes, without easily confused ones", () => {
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

  test("discards random bytes that would bias the distribution", () => {
    // 255 lies beyond the last whole multiple of the alphabet, so a loop that used it would never end.
    let next = 0;
    const bytes = generateSecret((byte) => {
      byte[0] = next % 2 === 0 ? 255 : (next >> 1) % 67;
      next += 1;
    });
    expect(bytes).toHaveLength(SECRET_LENGTH);
  });

  test("never returns the same secret twice", () => {
    const many = new Set(Array.from({ length: 500 }, () => generateSecret()));
    expect(many.size).toBe(500);
  });
});
