// Authenticates API tokens. The row is read on every call, so that a revocation, a disabled holder or a new role takes
// effect immediately.
import { isWithin } from "#features/users/index.ts";
import { closureOf } from "#features/vault-closure/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { gather } from "#kernel/gather.ts";
import type { Authenticator } from "#kernel/http/authenticate.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { hashOfToken, isTokenText } from "./token-text.ts";
import {
  USE_WRITE_INTERVAL,
  effectiveScopes,
  addressNotAllowed,
  endOf,
  refusalFor,
  unknown,
  withoutFactor,
} from "./tokens.policy.ts";
import { findTokens, recordRefusedUse, touchTokens } from "./tokens.store.ts";
import type { LiveToken } from "./tokens.store.ts";

const MOST_AT_ONCE = 128;
const NEVER = new Date(0);

/**
 * Authenticates API tokens and passes all other credentials to `others`. A token is accepted only in the Authorization header.
 */
export function createTokenAuthenticator(kernel: ProcessKernel, others: Authenticator): Authenticator {
  const { db } = kernel.database;
  const find = gather(MOST_AT_ONCE, (hashes: readonly string[]) => findTokens(db, hashes));
  const touch = gather(MOST_AT_ONCE, async (uses: readonly { id: string; from: string }[]) => {
    const now = kernel.clock.now();
    await touchTokens(db, uses, now, new Date(now.getTime() - USE_WRITE_INTERVAL));
    return uses;
  });

  return async (proof) => {
    if (proof.bearer === null || !isTokenText(proof.bearer)) return others(proof);
    const hash = hashOfToken(proof.bearer);
    const token = hash === null ? undefined : await find(hash.toString("hex"));
    if (token === undefined) throw unknown();
    const now = kernel.clock.now();
    const objection =
      refusalFor(token, token, now) ?? (comesFromAllowed(token, proof.ip) ? asksForFactor(token) : addressNotAllowed());
    if (objection !== null) {
      await recordRefusal(kernel, token, proof.ip, objection);
      throw objection;
    }
    const isTouchDue = now.getTime() - (token.last_used_at ?? NEVER).getTime() >= USE_WRITE_INTERVAL;
    if (isTouchDue) await touch({ id: token.id, from: proof.ip });
    return actorOf(token, now);
  };
}

/**
 * A user's token is also limited to the networks that the sign-in policy allows; a machine identity's token only to its
 * own networks.
 */
function comesFromAllowed({ networks, people_from, kind }: LiveToken, ip: string): boolean {
  return isWithin(networks, ip) && (kind === "machine" || isWithin(people_from, ip));
}

const asksForFactor = ({ lacks_factor }: LiveToken): Refusal | null => (lacks_factor ? withoutFactor() : null);

/**
 * Audits the use of an expired or revoked token, or of a token from a network it does not allow, at most once a minute.
 */
async function recordRefusal(kernel: ProcessKernel, token: LiveToken, ip: string, objection: Refusal): Promise<void> {
  const now = kernel.clock.now();
  const reason = token.revoked_at === null ? objection.code : "token.revoked";
  const details = { address: ip, holder: token.user_id, holder_name: token.holder };
  const note = {
    target: { type: "token", id: token.id, name: token.name },
    result: "failure",
    reason,
    details,
  } as const;
  await kernel.database.transaction(async (tx) => {
    if (!(await recordRefusedUse(tx, token.id, now, new Date(now.getTime() - USE_WRITE_INTERVAL)))) return;
    await appendAudit(tx, [systemEntry("token.refused", "tokens", note, now)]);
  });
}

const actorOf = (token: LiveToken, now: Date): Actor => ({
  id: token.user_id,
  email: token.email,
  name: token.holder,
  role: token.role,
  // Tokens whose holder is not active were already refused.
  isPending: false,
  sessionId: null,
  provedUntil: NEVER,
  closure: closureOf(token.vault_closed_at, token.vault_opens_at, now),
  token: {
    id: token.id,
    name: token.name,
    scopes: effectiveScopes(token.scopes, token.safe_ids !== null, token.kind),
    safes: token.safe_ids,
    networks: token.networks,
    expiresAt: endOf(token, token.kind, token),
  },
});
