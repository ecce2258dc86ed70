import { expect, test } from "vitest";
import { exportFileName } from "./export-names.ts";
import { verifyCommand } from "./checkpoint-card.tsx";

test("the offline verification is one command with the file and the key", () => {
  const key = "strongroom/vault+1f2e3d4c+AfK3l0pQ9sX2m5n8b1v4c7z0a3s6d9f2=";
  expect(verifyCommand("audit-trail-2026-11-21.jsonl", key)).toBe(
    `npx strongroom audit verify audit-trail-2026-11-21.jsonl --key ${key}`,
  );
});

test("a key with shell metacharacters is quoted", () => {
  expect(verifyCommand("a.jsonl", "my vault's+1+2")).toBe(
    String.raw`npx strongroom audit verify a.jsonl --key 'my vault'\''s+1+2'`,
  );
});

test("file names contain the day", () => {
  expect(exportFileName(new Date("2026-11-21T23:30:00Z"))).toBe("audit-trail-2026-11-21.jsonl");
});
