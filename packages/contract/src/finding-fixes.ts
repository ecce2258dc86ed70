// The remedies for a finding: verify its secret, store it in a safe, rotate it, and update the file.
import { z } from "zod";
import { ConnectionMethod, SystemType } from "./account-types.ts";
import { discoveryManaging } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, FindingId, Moment, PlatformId, RotationId, SafeId, oneLine } from "./fields.ts";
import { FindingFix, FindingLiveness, VaultSettings } from "./findings.ts";

/** How the secret is used. Omitted fields come from the file and the scanned host. */
export const FindingLogin = z
  .strictObject({
    username: oneLine().min(1).max(128).optional(),
    hostname: oneLine().min(1).max(253).optional(),
    port: z.number().int().min(1).max(65_535).optional(),
    systemType: SystemType.optional(),
    connectionMethod: ConnectionMethod.optional(),
    databaseName: oneLine().min(1).max(128).optional(),
  })
  .prefault({});
export type FindingLogin = z.infer<typeof FindingLogin>;

const Failed = z.array(z.object({ id: FindingId, code: z.string(), message: z.string() }));

/**
 * Reads the file again and stores its secret as an account, or links the account that has it. Needs `add` in the safe,
 * and permission to retrieve the target's credential without approval, because the call reads files with it. The
 * members of the safe get the secret that it stores, so the call needs re-authentication, and no API token can make it.
 */
export const vaultFindings = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/vault",
  summary: "Store the secrets of findings in a safe, and optionally rotate them and update their files",
  body: z.strictObject({
    findingIds: z.array(FindingId).min(1).max(50),
    vaultSettings: VaultSettings,
    /** Rotates the secret, and writes the new one into the file after each rotation. */
    fixFiles: z.boolean().default(false),
    /** Replaces the secret in the file by a reference to the account. Not with `fixFiles`. */
    useReferences: z.boolean().default(false),
    login: FindingLogin,
    /** Default: the target's safe. */
    safeId: SafeId.optional(),
    /** Default: the platform of the target's credential. */
    platformId: PlatformId.optional(),
  }),
  reply: z.object({
    vaulted: z.number().int(),
    accounts: z.array(z.object({ finding_id: FindingId, account_id: AccountId, rotation_id: RotationId.nullable() })),
    failed: Failed,
    message: z.string(),
  }),
  stepUp: true,
  sessionOnly: true,
  perMinute: 30,
  audit: "finding.vaulted",
});

const byFinding = { params: z.object({ id: FindingId }) };

/** Possible until the secret was rotated. */
export const undoVaulting = endpoint({
  ...discoveryManaging,
  ...byFinding,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/:id/undo",
  summary: "Remove the account and the dependent that vaulting a finding created",
  reply: FindingFix,
  audit: "finding.vaulting-undone",
});

/**
 * Asks the system that the secret opens whether it works, with one login. Needs permission to retrieve the target's
 * credential without approval. Two logins with one secret within 15 minutes at most, so that no account is locked.
 */
export const verifyFinding = endpoint({
  ...discoveryManaging,
  ...byFinding,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/:id/verify",
  summary: "Ask the system whether the secret of a finding works",
  body: z.strictObject({ login: FindingLogin }),
  reply: z.object({ liveness: FindingLiveness, message: z.string(), verified_at: Moment }),
  stepUp: true,
  sessionOnly: true,
  perMinute: 10,
  audit: "finding.verified",
});
