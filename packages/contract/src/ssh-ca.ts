// The SSH user CA: targets that trust its public keys let gateways log in with short-lived certificates.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment } from "./fields.ts";

export const SshCaKeyId = z.uuid().brand<"SshCaKeyId">();
export type SshCaKeyId = z.infer<typeof SshCaKeyId>;

/** `next`: published so that targets can trust it first. `retired`: published, and no longer signs. */
export const SSH_CA_KEY_STATUSES = ["active", "next", "retired"] as const;

export const SshCaKey = z.object({
  id: SshCaKeyId,
  status: z.enum(SSH_CA_KEY_STATUSES),
  /** As in an authorized_keys file. */
  public_key: z.string(),
  /** As ssh-keygen prints it. */
  fingerprint: z.string(),
  created_at: Moment,
});
export type SshCaKey = z.infer<typeof SshCaKey>;

export const listSshCaKeys = endpoint({
  method: "GET",
  path: "/api/v1/ssh-ca/keys",
  summary: "The public keys of the SSH user CA, for TrustedUserCAKeys of targets",
  reply: z.object({
    keys: z.array(SshCaKey),
    /** The content of the file that `TrustedUserCAKeys` names; empty without keys. */
    trusted_keys_file: z.string(),
  }),
  needs: "privileged-session.list",
  audit: "none",
});

export const createSshCaKey = endpoint({
  method: "POST",
  path: "/api/v1/ssh-ca/keys",
  summary: "Create the CA's key, or its next one before a rotation",
  reply: SshCaKey,
  status: 201,
  needs: "system.manage",
  audit: "ssh-ca.key-created",
  gives: "nothing",
  stepUp: true,
});

const byId = z.object({ id: SshCaKeyId });

export const activateSshCaKey = endpoint({
  method: "POST",
  path: "/api/v1/ssh-ca/keys/:id/activate",
  summary: "Sign certificates with the next key from now on, and retire the current one",
  params: byId,
  reply: Message,
  needs: "system.manage",
  audit: "ssh-ca.key-activated",
  thing: "ssh-ca-key",
  gives: "nothing",
  stepUp: true,
});

export const deleteSshCaKey = endpoint({
  method: "DELETE",
  path: "/api/v1/ssh-ca/keys/:id",
  summary: "Delete a key that does not sign, so that targets stop trusting it",
  params: byId,
  reply: Message,
  needs: "system.manage",
  audit: "ssh-ca.key-deleted",
  thing: "ssh-ca-key",
  gives: "nothing",
  stepUp: true,
});
