// When a user is disabled, deleted or locked out, revokes all their tokens and the tokens that those created.
import { endKeysOf } from "#features/ssh-keys/index.ts";
import { findUser } from "#features/users/index.ts";
import type { TokensEnd } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changed } from "../tokens.ts";
import { activeTokensOf, revokeWithCreated } from "../tokens.store.ts";

type ClockAndEvents = Pick<Kernel, "clock" | "events">;

/**
 * Revokes the tokens of a user, who must create new ones after being enabled again. Tokens of a disabled machine
 * identity are only paused.
 */
export async function revokeAsDisabled(kernel: ClockAndEvents, tx: Tx, userId: string): Promise<void> {
  const holder = await findUser(tx, userId);
  if (holder?.kind === "person") await revokeAllOf(kernel, tx, userId, "disabled");
}

/**
 * Revokes all tokens of a user except those in `keep`, and the tokens that revoked ones created, each with its own
 * audit entry. A kept token is still revoked if a revoked one created it. Returns how many; throws 400 when a token in
 * `keep` is not active.
 */
export async function revokeAllOf(
  { clock, events }: ClockAndEvents,
  tx: Tx,
  userId: string,
  because: TokensEnd,
  keep: readonly string[] = [],
): Promise<number> {
  const at = clock.now();
  // A change of the password decides separately about the keys.
  if (because !== "password-changed") await endKeysOf({ clock }, tx, userId, because);
  const active = await activeTokensOf(tx, userId);
  if (!keep.every((id) => active.includes(id))) throw notKept();
  const revoked = await revokeWithCreated(
    tx,
    active.filter((id) => !keep.includes(id)),
    at,
  );
  if (revoked.length === 0) return 0;
  const entries = revoked.map(({ id, name, user_id, holder }) => {
    const reason =
      user_id === userId ? REASONS[because] : `The token that created this one was revoked. ${REASONS[because]}`;
    const details = { holder: user_id, holder_name: holder, ...(user_id === userId ? {} : { because_of: userId }) };
    return systemEntry("token.revoked", "tokens", { target: { type: "token", id, name }, reason, details }, at);
  });
  await appendAudit(tx, entries);
  await events.publish(tx, ...revoked.map((one) => changed(one.id, one.user_id)));
  return revoked.length;
}

const REASONS: Record<TokensEnd, string> = {
  disabled: "The token's holder was disabled.",
  deleted: "The token's holder was deleted.",
  "password-reset": "The password of the token's holder was reset.",
  "password-changed": "The token's holder changed their password and did not keep the token.",
  "factors-reset": "The second factors of the token's holder were reset.",
  "sessions-ended": "All sessions of the token's holder were ended.",
  "provider-changed": "The identity provider of the token's holder was added or removed.",
};

const notKept = () => {
  const msg = "One of the API tokens to keep is not yours, or it has ended. Reload the page and choose again.";
  return refuse(400, "token.not-kept", msg, { errors: [{ path: "keep_tokens", msg }] });
};
