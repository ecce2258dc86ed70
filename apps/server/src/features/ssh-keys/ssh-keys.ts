// Lists, adds and removes a user's own SSH public keys.
import { SshKeyId, parseSshPublicKey } from "@strongroom/contract";
import type { Message, SshKey, SshPublicKey, addSshKey, listSshKeys, removeSshKey } from "@strongroom/contract";
import { createHash, createPublicKey } from "node:crypto";
import { lockUser } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { notifyOfNewKey } from "./notify-ssh-keys.ts";
import { deleteKey, findKeysOf, insertKey, longestLifeDays } from "./ssh-keys.store.ts";
import type { SshKeyRow } from "./ssh-keys.store.ts";

const DAY = 86_400_000;
/** Enough for several computers. */
const MOST_KEYS = 20;

export async function list(kernel: Kernel, { actor }: Call<typeof listSshKeys>, db: Db) {
  const now = kernel.clock.now();
  const rows = await findKeysOf(db, actor.id);
  return { data: rows.map((row) => toSshKey(row, now)), most_days: Math.min(365, await longestLifeDays(db)) };
}

export async function add(kernel: Kernel, call: Call<typeof addSshKey>, tx: Tx): Promise<SshKey> {
  const { actor, body } = call;
  const key = requireKey(body.public_key);
  const fingerprint = fingerprintOf(Buffer.from(key.base64, "base64"));
  call.note({ details: { type: key.type, bits: key.bits, fingerprint } });
  // Lock the user, so that disabling them or ending their keys concurrently also ends this one.
  const holder = await lockUser(tx, actor.id);
  if (holder?.status !== "active") throw refuse(403, "account.disabled", "This account is disabled.");
  const mostDays = await longestLifeDays(tx);
  if (body.expires_in_days > mostDays) {
    throw atField("expires_in_days", "ssh-key.life-too-long", `The lifetime can be at most ${mostDays} days.`);
  }
  if ((await findKeysOf(tx, actor.id)).length >= MOST_KEYS) {
    throw refuse(409, "ssh-key.too-many", `You have ${MOST_KEYS} SSH keys. Remove one first.`);
  }
  const now = kernel.clock.now();
  const row = {
    id: SshKeyId.parse(newId(now.getTime())),
    user_id: actor.id,
    name: body.name,
    public_key: `${key.type} ${key.base64}`,
    fingerprint,
    created_at: now,
    expires_at: new Date(now.getTime() + body.expires_in_days * DAY),
  };
  call.note({ target: { type: "ssh-key", id: row.id, name: row.name } });
  call.note({ details: { type: key.type, bits: key.bits, fingerprint, expires_at: row.expires_at.toISOString() } });
  if (!(await insertKey(tx, row))) {
    throw refuse(409, "ssh-key.known", "This key is already registered. Each user needs their own key.");
  }
  await notifyOfNewKey(kernel, tx, row);
  return toSshKey({ ...row, last_used_at: null, last_used_from: null }, now);
}

/** The contract has checked the text; this also checks that the key exists on its curve. */
function requireKey(text: string): SshPublicKey {
  const parsed = parseSshPublicKey(text);
  if ("problem" in parsed) throw atField("public_key", "ssh-key.invalid", parsed.problem);
  if (isOnCurve(parsed.key)) return parsed.key;
  throw atField("public_key", "ssh-key.invalid", "This key is damaged. Copy the whole line again.");
}

const CURVES: Record<string, { name: string; side: number }> = {
  "ecdsa-sha2-nistp256": { name: "P-256", side: 32 },
  "ecdsa-sha2-nistp384": { name: "P-384", side: 48 },
  "ecdsa-sha2-nistp521": { name: "P-521", side: 66 },
};

function isOnCurve({ type, base64 }: SshPublicKey): boolean {
  const curve = CURVES[type];
  if (curve === undefined) return true;
  const point = Buffer.from(base64, "base64").subarray(-2 * curve.side);
  const [x, y] = [point.subarray(0, curve.side), point.subarray(curve.side)].map((side) => side.toString("base64url"));
  try {
    createPublicKey({ key: { kty: "EC", crv: curve.name, x: x!, y: y! }, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}

/** As ssh-keygen prints it. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`;

const atField = (path: string, code: string, msg: string) => refuse(400, code, msg, { errors: [{ path, msg }] });

export async function remove(call: Call<typeof removeSshKey>, tx: Tx): Promise<Message> {
  const { actor, params } = call;
  call.note({ target: { type: "ssh-key", id: params.id } });
  const gone = await deleteKey(tx, actor.id, params.id);
  if (gone === undefined) throw refuse(404, "ssh-key.not-found", "SSH key not found");
  call.note({ target: { type: "ssh-key", id: gone.id, name: gone.name }, details: { fingerprint: gone.fingerprint } });
  return { message: `${gone.name} removed` };
}

function toSshKey(row: SshKeyRow, now: Date): SshKey {
  const parsed = parseSshPublicKey(row.public_key);
  if ("problem" in parsed) throw new Error(`the stored SSH key ${row.id} is damaged`);
  return {
    id: row.id,
    name: row.name,
    type: parsed.key.type,
    bits: parsed.key.bits,
    fingerprint: row.fingerprint,
    state: row.expires_at <= now ? "expired" : "active",
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_from: row.last_used_from,
  };
}
