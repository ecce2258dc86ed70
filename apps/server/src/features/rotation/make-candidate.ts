// Makes up a new secret, unlike the earlier ones, and stores it before its system hears of it.
import type { Connector } from "@strongroom/connectors";
import { EnvelopeError, KekError, Secret, sealSecret } from "@strongroom/keys";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { ENVELOPE_PURPOSE, insertCandidate, keyOfOwner, openEnvelope } from "#features/credentials/index.ts";
import { USUAL_RULES, makePassword } from "./new-password.ts";
import type { Happening } from "./rotation.policy.ts";
import type { RotationRow } from "./rotation.store.ts";
import type { Sight } from "./sight.store.ts";
import type { Turn } from "./turn.ts";

/** A stored secret that was not opened yet. */
export interface Stored {
  version: number;
  envelope: Buffer;
}

/** A new secret that was made outside of a transaction. */
export interface Made {
  secret: Secret;
}

export interface Making {
  row: RotationRow;
  turn: Turn;
  sight: Sight;
  at: Date;
  made: Made | null;
}

/** Stores a candidate, sealed; or says that one has to be made outside of the transaction. */
export async function storeCandidate(
  kernel: Kernel,
  tx: Tx,
  { turn, sight, made, at, row }: Making,
  connector: Connector,
): Promise<Happening | "make-key" | "issue"> {
  const credential = sight.credential!;
  if (made === null && connector.issue !== undefined) {
    turn.kind = "issued";
    return "issue";
  }
  const chosen = made?.secret ?? (await choose(kernel, sight, turn, connector).catch(unreadable));
  if (chosen === "unreadable") return { kind: "gave-up", code: "misconfigured" };
  if (chosen === "make-key") return chosen;
  if (chosen === null) return { kind: "gave-up", code: "password-rules" };
  using secret = chosen;
  const version = (sight.versions[0]?.version ?? 0) + 1;
  const kek = await kernel.keys.kekFor(keyOfOwner(credential));
  const context = { purpose: ENVELOPE_PURPOSE, recordId: credential.id, version };
  const envelope = sealSecret(kek, context, secret);
  const created_by = row.asked_by?.id ?? null;
  await insertCandidate(tx, { credential_id: credential.id, version, envelope, created_at: at, created_by });
  sight.versions.unshift({ version, envelope, is_candidate: true, created_at: at });
  return { kind: "stored", version };
}

const IS_KEY = /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
/** More than chance ever needs. */
const MOST_CHOICES = 20;

/** A password that differs from the earlier ones. Null: the rules allow none. */
async function choose(
  kernel: Kernel,
  sight: Sight,
  turn: Turn,
  connector: Connector,
): Promise<Secret | "make-key" | null> {
  const { id, user_id, safe_id } = sight.credential!;
  const rules = sight.password_rules ?? USUAL_RULES;
  const differing: Stored[] = sight.versions.slice(0, Math.max(1, rules.history));
  const current = versionIn(sight, turn.journal.old);
  if (!differing.includes(current)) differing.push(current);
  const earlier = new Set<string>();
  for (const { version, envelope } of differing) {
    turn.compared.push(version);
    using secret = await openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
    const text = textOf(secret);
    if (version === turn.journal.old && IS_KEY.test(text ?? "") && connector.newSecret !== undefined) {
      turn.kind = "key";
      return "make-key";
    }
    if (text !== null) earlier.add(text);
  }
  turn.kind = "password";
  for (let choice = 0; choice < MOST_CHOICES; choice++) {
    const password = makePassword(rules, connector.passwordLimits);
    if (password === null) return null;
    if (!earlier.has(password)) return Secret.fromText(password);
  }
  return null;
}

/** A stored secret that does not open will not open by itself: a person has to look at it. */
function unreadable(error: unknown): "unreadable" {
  if (error instanceof EnvelopeError || error instanceof KekError) return "unreadable";
  throw error;
}

/** Null: it is no text. */
function textOf(secret: Secret): string | null {
  try {
    return secret.reveal();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function versionIn({ versions }: Sight, version: number): Stored {
  const found = versions.find((each) => each.version === version);
  // INVARIANT: no version of a secret is removed while its credential lives.
  if (found === undefined) throw new Error(`version ${version} of a secret is gone`);
  return found;
}
