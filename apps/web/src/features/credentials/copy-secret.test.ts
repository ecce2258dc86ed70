import { describe, expect, test } from "vitest";
import { copyRevealed } from "./copy-secret.ts";

const reveal = () => Promise.resolve({ value: "s3cret" });

describe("copying a secret", () => {
  test("VAULT-15, VAULT-34: puts what was revealed on the clipboard", async () => {
    const written: string[] = [];
    const notice = await copyRevealed(reveal, async (secret) => void written.push(await secret));
    expect(written).toEqual(["s3cret"]);
    expect(notice).toEqual({ kind: "success", text: "Password copied to clipboard!" });
  });

  test("VAULT-35: a clipboard that refuses is told", async () => {
    const notice = await copyRevealed(reveal, () => Promise.reject(new Error("NotAllowedError")));
    expect(notice).toEqual({ kind: "error", text: "Failed to copy credential to clipboard" });
  });

  test("a refused reveal is told in the server's words, and nothing is written", async () => {
    const written: string[] = [];
    const notice = await copyRevealed(
      () => Promise.reject(new Error("Rate limit exceeded. Retry in 5 seconds.")),
      async (secret) => void written.push(await secret),
    );
    expect(notice).toEqual({ kind: "error", text: "Rate limit exceeded. Retry in 5 seconds." });
    expect(written).toEqual([]);
  });
});
