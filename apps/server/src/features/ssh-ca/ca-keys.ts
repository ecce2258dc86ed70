// The keys of the SSH user CA: creates one, rotates to the next, and shows their public halves.
import { SshCaKeyId } from "@strongroom/contract";
import type { SshCaKey, activateSshCaKey, createSshCaKey, deleteSshCaKey } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { newSealedCaKey, openCaKey } from "./sealed-ca-key.ts";
import { deleteCaKeyRow, insertCaKey, lockCaKeys, readCaKeys, setCaKeyStatus } from "./ssh-ca.store.ts";
import type { CaKeyRow } from "./ssh-ca.store.ts";

type Keys = Pick<ProcessKernel, "keys">;

const MOST_KEYS = 10;

async function toCaKey({ keys }: Keys, row: CaKeyRow): Promise<SshCaKey> {
  const { publicLine, fingerprint } = await openCaKey(keys, row);
  return {
    id: SshCaKeyId.parse(row.id),
    status: row.status,
    public_key: publicLine,
    fingerprint,
    created_at: row.created_at.toISOString(),
  };
}

export async function findCaKeys(kernel: Keys, db: Db) {
  const keys = await Promise.all((await readCaKeys(db)).map((row) => toCaKey(kernel, row)));
  const lines = keys.map(({ public_key: key, status }) => `${key} strongroom-ssh-ca-${status}\n`);
  return { keys, trusted_keys_file: lines.join("") };
}

/** The first key signs immediately. A later one waits, so that targets can trust it before it signs. */
export async function addCaKey(kernel: ProcessKernel, call: Call<typeof createSshCaKey>, tx: Tx): Promise<SshCaKey> {
  const id = newId();
  call.note({ target: { type: "ssh-ca-key", id } });
  const existing = await lockCaKeys(tx);
  if (existing.some(({ status }) => status === "next")) {
    throw refuse(409, "ssh-ca.next-exists", "The CA already has a next key. Activate or delete it first.");
  }
  if (existing.length >= MOST_KEYS) {
    throw refuse(409, "ssh-ca.too-many-keys", `The CA has ${MOST_KEYS} keys. Delete retired ones first.`);
  }
  const status = existing.some((key) => key.status === "active") ? ("next" as const) : ("active" as const);
  const sealed = await newSealedCaKey(kernel.keys, id);
  const row = { id, sealed, status, created_at: kernel.clock.now() };
  await insertCaKey(tx, row);
  const made = await toCaKey(kernel, row);
  call.note({ target: { type: "ssh-ca-key", id, name: made.fingerprint }, details: { status } });
  return made;
}

export async function activateCaKey(kernel: Keys, call: Call<typeof activateSshCaKey>, tx: Tx) {
  const { chosen, all } = await require(kernel, call, tx);
  if (chosen.status === "active") throw refuse(409, "ssh-ca.already-active", "This key already signs certificates.");
  for (const { id, status } of all) if (status === "active") await setCaKeyStatus(tx, id, "retired");
  await setCaKeyStatus(tx, chosen.id, "active");
  return { message: "New certificates are signed with this key. The former key stays published until you delete it." };
}

export async function removeCaKey(kernel: Keys, call: Call<typeof deleteSshCaKey>, tx: Tx) {
  const { chosen } = await require(kernel, call, tx);
  if (chosen.status === "active") {
    throw refuse(409, "ssh-ca.active", "This key signs certificates. Activate another one first.");
  }
  await deleteCaKeyRow(tx, chosen.id);
  return { message: "The key was deleted. Remove it from the targets too." };
}

async function require(kernel: Keys, call: Call<typeof activateSshCaKey> | Call<typeof deleteSshCaKey>, tx: Tx) {
  const { id } = call.params;
  call.note({ target: { type: "ssh-ca-key", id } });
  const all = await lockCaKeys(tx);
  const chosen = all.find((each) => each.id === id);
  if (chosen === undefined) throw refuse(404, "ssh-ca.not-found", "CA key not found");
  const { fingerprint } = await openCaKey(kernel.keys, chosen);
  call.note({ target: { type: "ssh-ca-key", id, name: fingerprint } });
  return { chosen, all };
}
