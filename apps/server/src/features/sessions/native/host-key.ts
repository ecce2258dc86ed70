// The SSH host key of the gateways: one for the installation, created when first needed, stored sealed.
import { Secret, envelopeKekId, openSecret, sealSecret } from "@strongroom/keys";
import { createHash, createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Db } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";

interface GatewayHostKeysTable {
  id: string;
  sealed: Buffer;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    gateway_host_keys: GatewayHostKeysTable;
  }
}

export interface GatewayHostKey {
  privateKey: KeyObject;
  /** As in a known_hosts file: `ssh-ed25519 AAAA…`. */
  publicLine: string;
  /** As ssh prints it: `SHA256:…`. */
  fingerprint: string;
}

const PURPOSE = "gateway-host-key";

/** Rejects with SealedError while the vault is sealed. */
export async function gatewayHostKey(kernel: ProcessKernel): Promise<GatewayHostKey> {
  const { db } = kernel.database;
  const row = await readHostKey(db);
  if (row !== undefined) return openHostKey(kernel, row);
  const id = newId();
  const kek = await kernel.keys.kekFor(PURPOSE);
  const der = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" });
  using secret = Secret.fromBytes(der);
  der.fill(0);
  const fresh = { id, sealed: sealSecret(kek, contextOf(id), secret), created_at: kernel.clock.now() };
  // Of several gateways that start at once, one stores the key of all.
  await db
    .insertInto("gateway_host_keys")
    .values(fresh)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return openHostKey(kernel, (await readHostKey(db))!);
}

const readHostKey = (db: Db) => db.selectFrom("gateway_host_keys").selectAll().executeTakeFirst();

/** INVARIANT: the public key is derived from the sealed private key, so a key inserted into the database is not trusted. */
async function openHostKey({ keys }: ProcessKernel, { id, sealed }: GatewayHostKeysTable): Promise<GatewayHostKey> {
  using secret = openSecret(await keys.kekById(envelopeKekId(sealed)), contextOf(id), sealed);
  const der = secret.revealBytes();
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  der.fill(0);
  const { x = "" } = privateKey.export({ format: "jwk" });
  const blob = Buffer.concat([field(Buffer.from("ssh-ed25519")), field(Buffer.from(x, "base64url"))]);
  return {
    privateKey,
    publicLine: `ssh-ed25519 ${blob.toString("base64")}`,
    fingerprint: `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`,
  };
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const contextOf = (id: string) => ({ purpose: PURPOSE, recordId: id, version: 1 });
