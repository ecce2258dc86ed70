// The seal: after a start with a passphrase nothing can be opened until the vault is unsealed.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message } from "./fields.ts";

export const readSeal = endpoint({
  method: "GET",
  path: "/api/v1/seal",
  summary: "Whether the vault is sealed, and how it is unsealed",
  reply: z.object({ is_sealed: z.boolean(), provider: z.enum(["key-file", "passphrase"]) }),
  needs: "public",
  audit: "none",
  whileSealed: true,
});

export const unseal = endpoint({
  method: "POST",
  path: "/api/v1/seal/unseal",
  summary: "Unseal the vault with its passphrase",
  body: z.strictObject({ passphrase: z.string().min(1).max(1024) }),
  reply: Message,
  needs: "public",
  audit: "seal.unsealed",
  gives: "nothing",
  whileSealed: true,
});

export const seal = endpoint({
  method: "POST",
  path: "/api/v1/seal/seal",
  summary: "Seal the vault immediately: this process drops its keys",
  reply: Message,
  needs: "seal.manage",
  audit: "seal.sealed",
  gives: "nothing",
  stepUp: true,
});
