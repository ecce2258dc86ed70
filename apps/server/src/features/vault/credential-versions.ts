// Lists the versions of a credential's secret without their values, and reveals one version to its owner.
import type {
  SecretVersion,
  listCredentialVersions as listEndpoint,
  revealCredentialVersion as revealEndpoint,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { openEnvelope, readEnvelope, unreadable, updateSecret, versionsOf } from "#features/secrets/index.ts";
import { credentialNotFound, credentialTarget } from "./vault.ts";
import { lockCredential, readCredential } from "./vault.store.ts";

export async function listOwnVersions(call: Call<typeof listEndpoint>, db: Db): Promise<{ versions: SecretVersion[] }> {
  const row = await readCredential(db, call.actor, call.params.id);
  if (row === null) throw credentialNotFound();
  return { versions: await versionsOf(db, row.id) };
}

/** Reveals superseded and candidate versions too, so that the owner can reach every stored version. */
export async function revealOwnVersion(
  kernel: Kernel,
  call: Call<typeof revealEndpoint>,
  tx: Tx,
): Promise<{ value: string }> {
  const { id, version } = call.params;
  call.note({ target: { type: "credential", id } });
  const row = await lockCredential(tx, call.actor, id);
  if (row === null) throw credentialNotFound();
  call.note({ target: credentialTarget(row), details: { version } });
  if (row.environment === "production") call.requireStepUp();
  const envelope = await readEnvelope(tx, id, version);
  if (envelope === null) throw refuse(404, "credential.version-not-found", "Version not found");
  await updateSecret(tx, id, { last_accessed_at: kernel.clock.now() });
  try {
    using secret = await openEnvelope(kernel, { ...row, version, envelope });
    return { value: secret.reveal() };
  } catch (error) {
    throw unreadable(kernel, id, error);
  }
}
