import { describe, expect, test } from "vitest";
import { copyRevealedSecret } from "./copy-revealed.ts";

const NOT_COPIED = "Failed to copy credential to clipboard";
const reveal = () => Promise.resolve("s3cret");

describe("copying a secret", () => {
  test("VAULT-15, VAULT-34: writes the revealed secret to the clipboard", async () => {
    const written: string[] = [];
    const notice = await copyRevealedSecret(reveal, async (secret) => void written.push(await secret), NOT_COPIED);
    expect(written).toEqual(["s3cret"]);
    expect(notice).toEqual({ kind: "success", text: "Password copied to clipboard!" });
  });

  test("VAULT-35: reports that the clipboard refused the copy", async () => {
    const notice = await copyRevealedSecret(reveal, () => Promise.reject(new Error("NotAllowedError")), NOT_COPIED);
    expect(notice).toEqual({ kind: "error", text: "Failed to copy credential to clipboard" });
  });

  test("reports a refused reveal with the server's message, and writes nothing", async () => {
    const written: string[] = [];
    const notice = await copyRevealedSecret(
      () => Promise.reject(new Error("Rate limit exceeded. Retry in 5 seconds.")),
      async (secret) => void written.push(await secret),
      NOT_COPIED,
    );
    expect(notice).toMatchObject({ kind: "error", text: "Rate limit exceeded. Retry in 5 seconds." });
    expect(written).toEqual([]);
  });
});
