// Why discovered accounts are privileged, the keys that open them, and which accounts a key or an account can reach.
import { z } from "zod";
import { DiscoveredAccountId } from "./discovered-accounts.ts";
import { DiscoveryTargetId, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, SafeId } from "./fields.ts";

/** Full control of the system, or more rights than an ordinary account. */
export const PrivilegeLevel = z.enum(["full", "limited"]);
export type PrivilegeLevel = z.infer<typeof PrivilegeLevel>;

export const Privilege = z.object({
  /** Such as `root`, `sudo-all` or `domain-admin`. */
  kind: z.string(),
  level: PrivilegeLevel,
  /** One sentence. */
  explanation: z.string(),
  /** Groups, roles and rules between the account and the privilege. */
  path: z.array(z.string()),
  /** Commands without arguments, or names of rights. */
  detail: z.array(z.string()),
  /** The account that it acts as; null for the strongest one of the system. */
  becomes: z.string().nullable(),
  needs_password: z.boolean().nullable(),
});
export type Privilege = z.infer<typeof Privilege>;

/** The fingerprint of a public key as OpenSSH prints it. */
export const Fingerprint = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "Not a SHA-256 fingerprint");

const KeyHolder = z.object({
  /** Null for a private key that every account of the system can read. */
  account_name: z.string().nullable(),
  hostname: z.string(),
  /** The file. */
  place: z.string(),
  read_by: z.enum(["owner", "group", "everyone"]),
  is_encrypted: z.boolean(),
});

const OpeningKey = z.object({
  fingerprint: z.string(),
  type: z.string().nullable(),
  comment: z.string().nullable(),
  place: z.string(),
  options: z.array(z.string()),
  /** The number of accounts that the key opens, this one included. */
  opens: z.number().int(),
  /** Accounts that can read the private key, as far as scans found it; at most 20. */
  holders: z.array(KeyHolder),
});

const HeldKey = z.object({
  /** Null for an encrypted private key that does not contain its public half. */
  fingerprint: z.string().nullable(),
  type: z.string().nullable(),
  place: z.string(),
  read_by: z.enum(["owner", "group", "everyone"]),
  is_encrypted: z.boolean(),
  opens: z.number().int(),
});

export const readAccountPrivileges = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/accounts/:id/privileges",
  summary: "Why a discovered account is privileged, and the keys and passwords that open it",
  params: z.object({ id: DiscoveredAccountId }),
  reply: z.object({
    /** One sentence about the strongest privilege and the ways in. */
    explanation: z.string(),
    privileges: z.array(Privilege),
    /** At most 100. */
    opened_by: z.array(OpeningKey),
    /** Private keys that the account can read; at most 100. */
    holds: z.array(HeldKey),
    /** Accounts in safes of the caller with this name on this host: their password or key opens the account. */
    managed_by: z.array(z.object({ id: AccountId, safe_id: SafeId, safe_name: z.string() })),
  }),
});

/** A step of a path: an account, a key, or full control of a system. */
export const ReachNode = z.object({
  id: z.string(),
  kind: z.enum(["account", "key", "control", "everyone"]),
  /** The name of the account, or the fingerprint or comment of the key. */
  label: z.string(),
  hostname: z.string().nullable(),
  target_id: DiscoveryTargetId.nullable(),
  account_id: DiscoveredAccountId.nullable(),
  /** The number of stored accounts of a system under full control. */
  accounts: z.number().int().nullable(),
  /** Steps from the start. */
  distance: z.number().int(),
  /** The node before this one on the shortest path; null for the start. */
  from: z.string().nullable(),
  /** Why one leads to the other; null for the start. */
  reason: z.string().nullable(),
  /** Whether a step of the path needs a password or a passphrase, too. */
  needs_password: z.boolean(),
});
export type ReachNode = z.infer<typeof ReachNode>;

/** Exactly one of `account` and `key`. */
export const readBlastRadius = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/blast-radius",
  summary: "The nodes that a key or an account can reach, or that can reach it, through keys, sudo and full control",
  query: z.object({
    account: DiscoveredAccountId.optional(),
    key: Fingerprint.optional(),
    /** `reaches` is the blast radius; `reached_by` is who can become the account or use the key. */
    direction: z.enum(["reaches", "reached_by"]).default("reaches"),
  }),
  reply: z.object({
    /** The start first, then by distance. */
    nodes: z.array(ReachNode),
    /** Systems under full control, and accounts on them and elsewhere. */
    systems: z.number().int(),
    accounts: z.number().int(),
    /** False if the search ended at its limit of nodes. */
    is_complete: z.boolean(),
  }),
});

export const DiscoveredKey = z.object({
  fingerprint: z.string(),
  type: z.string().nullable(),
  comment: z.string().nullable(),
  /** Accounts that the key opens. */
  opens: z.number().int(),
  systems: z.number().int(),
  /** Of those accounts, the ones with full control of their system. */
  opens_full: z.number().int(),
  /** Places where scans found the private key. */
  found_private: z.number().int(),
  /** Whether one of those private keys has no passphrase. */
  is_unprotected: z.boolean(),
});
export type DiscoveredKey = z.infer<typeof DiscoveredKey>;

export const listDiscoveredKeys = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/keys",
  summary: "Public keys that open accounts, those that open the most accounts first",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    /** Matches the fingerprint or the comment. */
    search: z.string().trim().max(100).optional(),
  }),
  reply: z.object({ data: z.array(DiscoveredKey) }),
});
