// Replaces the key of an account in another login that trusts it.
import type { VerifyContext, VerifyResult } from "@strongroom/connectors";
import { isPrivateKey } from "@strongroom/contract";
import type { DependentConfig, HostKey } from "@strongroom/contract";
import type { Secret } from "@strongroom/keys";
import { connectorOf, loginTargetOf } from "#features/verification/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import type { Updated } from "./dependents.ts";

/**
 * Adds the new key with the old one, logs in with the new one, and only then removes the old one. Each step checks the
 * current state: an update that was interrupted anywhere can be repeated.
 *
 * INVARIANT: no key is removed before the new one has logged in.
 */
export async function updateAuthorizedKey(
  secretRow: SecretRow,
  config: Extract<DependentConfig, { kind: "authorized-key" }>,
  { previous, secret }: { previous: Secret; secret: Secret },
  context: VerifyContext,
): Promise<Updated> {
  const { host, port, username, host_key: knownHostKey } = config;
  const connector = connectorOf(secretRow);
  const { change, retire } = connector;
  const areKeys = isPrivateKey(previous.reveal()) && isPrivateKey(secret.reveal());
  if (connector.id !== "linux" || change === undefined || retire === undefined || !areKeys) {
    return { isDone: false, message: "The account has no SSH key." };
  }
  const unpinned = { ...loginTargetOf(secretRow), host, port, username, connectionString: null, knownHostKey };
  // Without a pinned key, the first login decides which host all others must reach.
  const seen = knownHostKey ?? hostKeyOf(await connector.verify(unpinned, previous, context));
  const target = { ...unpinned, knownHostKey: seen };
  const isSame = previous.reveal() === secret.reveal();
  const added = isSame ? null : await change(target, previous, secret, context);
  // An earlier update may have removed the old key already: then the new one must log in.
  const isOldGone = added?.outcome === "unsent" && added.failure.outcome === "rejected";
  if (added !== null && added.outcome !== "changed" && !isOldGone) return { isDone: false, message: added.message };
  const verified = await connector.verify(target, secret, context);
  if (verified.outcome !== "verified") {
    if (verified.outcome !== "rejected") return { isDone: false, message: verified.message };
    const message = isOldGone
      ? `Neither the old nor the new key logs in as ${username} on ${host}. Add the new public key there.`
      : `${verified.message} The old key still works there.`;
    return { isDone: false, message };
  }
  const hostKey = seen ?? hostKeyOf(verified);
  const pinned = hostKey === knownHostKey ? {} : { config: { ...config, host_key: hostKey } };
  if (isSame) return { isDone: true, message: `${username} on ${host} accepts the current key.`, ...pinned };
  const retired = await retire({ ...target, knownHostKey: hostKey }, secret, previous, context);
  if (retired.outcome !== "changed") {
    return {
      isDone: false,
      message: `The new key works, but the old one is still there. ${retired.message}`,
      ...pinned,
    };
  }
  return { isDone: true, message: `Replaced the key of ${username} on ${host}.`, ...pinned };
}

function hostKeyOf(result: VerifyResult): HostKey | null {
  const facts = "facts" in result ? result.facts : undefined;
  return (facts?.["hostKey"] as HostKey | undefined) ?? null;
}
