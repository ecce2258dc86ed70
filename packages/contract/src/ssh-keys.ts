// Users' own SSH public keys, with which native SSH clients sign in to the session gateway.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, oneLine } from "./fields.ts";
import { LONGEST_SSH_KEY_TEXT, SSH_KEY_TYPES, parseSshPublicKey } from "./ssh-public-key.ts";

export const SshKeyId = z.uuid().brand<"SshKeyId">();
export type SshKeyId = z.infer<typeof SshKeyId>;

export const SshKey = z.object({
  id: SshKeyId,
  name: z.string(),
  type: z.enum(SSH_KEY_TYPES),
  bits: z.number().int(),
  /** As ssh-keygen prints it: `SHA256:` and the base64 digest. */
  fingerprint: z.string(),
  state: z.enum(["active", "expired"]),
  created_at: Moment,
  expires_at: Moment,
  last_used_at: Moment.nullable(),
  last_used_from: z.string().nullable(),
});
export type SshKey = z.infer<typeof SshKey>;

/** The line of a `.pub` file. The messages explain why a key is refused. */
export const SshPublicKeyText = z
  .string()
  .max(LONGEST_SSH_KEY_TEXT, "This is too long for an SSH public key.")
  .superRefine((text, context) => {
    const parsed = parseSshPublicKey(text);
    if ("problem" in parsed) context.addIssue({ code: "custom", message: parsed.problem });
  });

export const NewSshKey = z.strictObject({
  name: oneLine().min(1, "Give the key a name.").max(100),
  public_key: SshPublicKeyText,
  expires_in_days: z.number().int().min(1).max(365),
});
export type NewSshKey = z.infer<typeof NewSshKey>;

const sshKeysPath = "/api/v1/auth/ssh-keys";

export const listSshKeys = endpoint({
  method: "GET",
  path: sshKeysPath,
  summary: "The caller's SSH public keys, newest first, and the longest lifetime of a new one",
  reply: z.object({ data: z.array(SshKey), most_days: z.number().int() }),
  needs: "signed-in",
  audit: "none",
});

export const addSshKey = endpoint({
  method: "POST",
  path: sshKeysPath,
  summary: "Add an SSH public key with which the caller can sign in to the session gateway",
  body: NewSshKey,
  reply: SshKey,
  status: 201,
  needs: "signed-in",
  audit: "ssh-key.added",
  gives: "nothing",
  stepUp: true,
});

export const removeSshKey = endpoint({
  method: "DELETE",
  path: `${sshKeysPath}/:id`,
  summary: "Remove one of the caller's SSH public keys; sessions that were started with it end",
  params: z.object({ id: SshKeyId }),
  reply: Message,
  needs: "signed-in",
  audit: "ssh-key.removed",
  gives: "nothing",
  thing: "ssh-key",
});
