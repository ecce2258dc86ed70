import { describe, expect, test } from "vitest";
import { copyRevealed } from "./copy-revealed.ts";

const NOT_COPIED = "Failed to copy credential to clipboard";
const reveal = () => Promise.resolve("s3cret");

describe("copying a secret", () => {
  test("VAULT-15, VAULT-34: puts what was revealed on the clipboard", async () => {
    const written: string[] = [];
    const notice = await copyRevealed(reveal, async (secret) => void written.push(await secret), NOT_COPIED);
    expect(written).toEqual(["s3cret"]);
    expect(notice).toEqual({ kind: "success", text: "Password copied to clipboard!" });
  });

  test("VAULT-35: a clipboard that refuses is told", async () => {
    const notice = await copyRevealed(reveal, () => Promise.reject(new Error("NotAllowedError")), NOT_COPIED);
    expect(notice).toEqual({ kind: "error", text: "Failed to copy credential to clipboard" });
  });

  test("a refused reveal is told in the server's words, and nothing is written", async () => {
    const written: string[] = [];
    const notice = await copyRevealed(
      () => Promise.reject(new Error("Rate limit exceeded. Retry in 5 seconds.")),
      async (secret) => void written.push(await secret),
      NOT_COPIED,
    );
    expect(notice).toMatchObject({ kind: "error", text: "Rate limit exceeded. Retry in 5 seconds." });
    expect(written).toEqual([]);
  });
});
