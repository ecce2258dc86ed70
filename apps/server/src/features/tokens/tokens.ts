// Lists, creates and revokes API tokens, and changes the policy on their lifetime.
import type {
  ApiToken,
  Message,
  NewToken,
  Role,
  SafeId,
  TokenList,
  TokenPolicy,
  UserId,
  UserKind,
  createMachineToken,
  createToken,
  listOwnTokens,
  listTokensOf,
  revokeToken,
  updateTokenPolicy,
} from "@strongroom/contract";
import { TokenId } from "@strongroom/contract";
import { readEffectivePermissions } from "#features/safes/index.ts";
import { findUser, lockUser, requirePersonFor } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { beginningOf, hashOfToken, newTokenText } from "./token-text.ts";
import * as policy from "./tokens.policy.ts";
import * as store from "./tokens.store.ts";
import type { ShownToken } from "./tokens.store.ts";

const DAY = 86_400_000;

export async function listOwn(kernel: Kernel, { actor }: Call<typeof listOwnTokens>, db: Db): Promise<TokenList> {
  return present(kernel, db, { kind: "person", role: actor.role }, await store.listTokensFor(db, actor.id));
}

export async function listOf(kernel: Kernel, { actor, params }: Call<typeof listTokensOf>, db: Db): Promise<TokenList> {
  const holder = await findUser(db, params.id);
  if (holder === undefined) throw notThere();
  return present(kernel, db, holder, await store.listTokensHeldBy(db, params.id, actor.id));
}

const notThere = () => refuse(404, "user.not-found", "User not found");

async function present(
  kernel: Kernel,
  db: Db,
  { kind, role }: { kind: UserKind; role: Role },
  rows: readonly ShownToken[],
): Promise<TokenList> {
  const now = kernel.clock.now();
  const rules = await store.readTokenPolicy(db);
  const scopes = policy.choosable(kind, (permission) => kernel.authority.allows(permission, role));
  const choices = { scopes, most_days: policy.maxLifetimeDays(kind, rules) };
  return { data: rows.map((row) => toToken(row, rules, now)), choices };
}

function toToken(row: ShownToken, rules: TokenPolicy, now: Date): ApiToken {
  return {
    id: row.id,
    name: row.name,
    begins: row.begins,
    holder: { id: row.user_id, name: row.holder, kind: row.kind },
    scopes: row.scopes,
    safes: row.safe_ids === null ? null : row.safes,
    networks: row.networks,
    state: policy.stateOf(row, rules, now),
    created_at: row.created_at.toISOString(),
    created_by: row.created_by_name,
    expires_at: policy.endOf(row, row.kind, rules).toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_from: row.last_used_from,
  };
}

type Made = { token: string; details: ApiToken };

export function makeOwn(kernel: Kernel, call: Call<typeof createToken>, tx: Tx): Promise<Made> {
  return make(kernel, call, tx, call.actor.id, "person");
}

export function makeForMachine(kernel: Kernel, call: Call<typeof createMachineToken>, tx: Tx): Promise<Made> {
  return make(kernel, call, tx, call.params.id, "machine");
}

/** Throws 404 when no holder of this kind has this id: users create their own tokens. */
async function make(
  kernel: Kernel,
  call: Call<typeof createToken> | Call<typeof createMachineToken>,
  tx: Tx,
  holderId: UserId,
  kind: UserKind,
): Promise<Made> {
  const { actor, body } = call;
  const now = kernel.clock.now();
  // Lock the holder, so that disabling them concurrently also revokes this token.
  const holder = await lockUser(tx, holderId);
  if (kind === "machine" && holder?.kind === kind) requirePersonFor(actor, holder);
  if (holder?.kind !== kind || (kind === "person" && holder.status !== "active")) throw notThere();
  if (actor.token !== null && !(await store.lockCreator(tx, actor.token.id))) throw policy.unknown();
  const expiresAt = new Date(now.getTime() + body.expires_in_days * DAY);
  policy.requireAllowedLife(body, kind, await store.readTokenPolicy(tx));
  policy.requireScopesOfRole(body.scopes, (permission) => kernel.authority.allows(permission, holder.role));
  policy.requireNoMore(body, kind, expiresAt, actor.token);
  await requireSafes(tx, { id: holder.id, role: holder.role }, body);
  if ((await store.countActiveTokens(tx, holder.id, now)) >= policy.MAX_ACTIVE_TOKENS) throw tooMany();
  const text = newTokenText();
  const id = TokenId.parse(newId(now.getTime()));
  await store.insertToken(tx, {
    id,
    user_id: holder.id,
    name: body.name,
    begins: beginningOf(text),
    token_hash: hashOfToken(text)!,
    scopes: [...new Set(body.scopes)],
    safe_ids: body.safe_ids === undefined ? null : [...new Set(body.safe_ids)],
    networks: body.networks,
    created_by: actor.id,
    made_by: actor.token?.id ?? null,
    created_at: now,
    expires_at: expiresAt,
  });
  call.note({
    target: { type: "token", id, name: body.name },
    details: {
      holder: holder.id,
      holder_name: holder.name,
      scopes: body.scopes,
      safes: body.safe_ids ?? null,
      networks: body.networks,
      expires_at: expiresAt.toISOString(),
    },
  });
  await kernel.events.publish(tx, changed(id, holder.id));
  return { token: text, details: await shownOne(kernel, tx, id, actor.id) };
}

/** A safe that the holder cannot see is reported as unknown. */
async function requireSafes(tx: Tx, holder: { id: UserId; role: Role }, body: NewToken) {
  const unseen: SafeId[] = [];
  for (const id of body.safe_ids ?? []) if ((await readEffectivePermissions(tx, holder, id)) === null) unseen.push(id);
  if (unseen.length === 0) return;
  const msg = "This safe does not exist, or the token's holder cannot see it.";
  throw refuse(400, "token.safe-unknown", msg, { errors: [{ path: "safe_ids", msg }] });
}

const tooMany = () =>
  refuse(
    409,
    "token.too-many",
    `A user can have at most ${policy.MAX_ACTIVE_TOKENS} active tokens. Revoke some first.`,
  );

async function shownOne(kernel: Kernel, tx: Tx, id: string, viewer: string): Promise<ApiToken> {
  const row = await store.lockToken(tx, id, viewer);
  if (row === undefined) throw new Error(`the token ${id} vanished within a transaction`);
  return toToken(row, await store.readTokenPolicy(tx), kernel.clock.now());
}

/**
 * Allowed for the holder, its responsible users and administrators; to other users the token does not exist. The tokens
 * it created are revoked too, because an attacker may have created one for later use.
 */
export async function revoke(kernel: Kernel, call: Call<typeof revokeToken>, tx: Tx): Promise<Message> {
  const { actor } = call;
  const token = await store.lockToken(tx, call.params.id, actor.id);
  const isOwn = token?.user_id === actor.id;
  if (token === undefined || !(isOwn || policy.mayRevokeOthers(actor, token.is_responsible))) {
    throw refuse(404, "token.not-found", "Token not found");
  }
  if (!isOwn && token.role === "admin") {
    // INVARIANT: a token of one administrator cannot revoke another administrator's tokens.
    requirePersonFor(actor, { id: token.user_id, role: token.role });
    call.requireStepUp();
  }
  const revoked = await store.revokeWithCreated(tx, [token.id], kernel.clock.now());
  const made = revoked.filter(({ id }) => id !== token.id);
  call.note({
    target: { type: "token", id: token.id, name: token.name },
    details: { holder: token.user_id, holder_name: token.holder, ...(made.length === 0 ? {} : { made: idsOf(made) }) },
  });
  await kernel.events.publish(tx, changed(token.id, token.user_id), ...made.map((one) => changed(one.id, one.user_id)));
  if (made.length === 0) return { message: `The token ${token.name} was revoked.` };
  const others = made.length === 1 ? "1 token that it created" : `${made.length} tokens that it created`;
  return { message: `The token ${token.name} was revoked, and ${others}.` };
}

const idsOf = (tokens: readonly store.RevokedToken[]): string[] => tokens.map(({ id }) => id);

/**
 * Notifies the holder's open pages, which reload the list, and closes event streams that were opened with a revoked
 * token.
 */
export const changed = (id: TokenId, holder: UserId): NewEvent => ({
  type: "token.changed",
  audience: { users: [holder] },
  data: { token_id: id },
});

export async function changePolicy(call: Call<typeof updateTokenPolicy>, tx: Tx): Promise<TokenPolicy> {
  const before = await store.readTokenPolicy(tx);
  await store.writeTokenPolicy(tx, call.body);
  call.note({ target: { type: "policy", id: "tokens" }, details: { from: { ...before }, to: { ...call.body } } });
  return call.body;
}
