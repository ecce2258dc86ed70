// Changes the user's own password: requires the current one, and ends every other session and all API tokens not chosen to be
// kept.
import type { changePassword } from "@strongroom/contract";
import { endKeysOf } from "#features/ssh-keys/index.ts";
import { findPasswordHash, readPolicy, replacePasswordHash, requireGoodPassword } from "#features/users/index.ts";
import { sessionOf } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { requireOwnPassword } from "./require-own-password.ts";
import { deleteReset } from "./resets.store.ts";
import { endSessions } from "../sessions/sessions.ts";
import type { SignInContext } from "../context.ts";
import { admitAttempt, undoAttemptCount, withdrawAttempt } from "../attempts/slow-down.ts";

export async function changeOwnPassword(
  parts: SignInContext,
  call: SteppedCall<typeof changePassword>,
  db: Db,
): Promise<{ message: string }> {
  const { kernel, passwords } = parts;
  const { actor, body, signal } = call;
  call.note({ target: { type: "user", id: actor.id, name: actor.email } });
  await requireOwnPassword(parts, db, actor.id);
  if (body.new_password === body.current_password) throw unchanged();
  const { role, email, name } = actor;
  requireGoodPassword(await readPolicy(db), { password: body.new_password, role, email, name }, "new_password");
  // Guesses at the current password are slowed down like guesses at sign-in.
  const claim = { email: actor.email, userId: actor.id, network: clientKey(call.request.ip) };
  const attempt = await admitAttempt(kernel, claim);
  const before = await findPasswordHash(db, actor.id);
  const isRight = await passwords
    .verify(before || null, body.current_password, signal)
    .catch(async (error: unknown) => {
      await withdrawAttempt(kernel, attempt);
      throw error;
    });
  if (!isRight) throw wrong();
  const hash = await passwords.hash(body.new_password, signal);
  const ended = await call.commit(async (tx) => {
    if (!(await replacePasswordHash(tx, actor.id, before, hash))) throw wrong();
    await undoAttemptCount(tx, attempt, actor.id, kernel.clock.now());
    await deleteReset(tx, actor.id);
    const count = await endSessions(kernel, tx, actor.id, sessionOf(actor));
    const tokens = await parts.endTokens.current(tx, actor.id, "password-changed", body.keep_tokens);
    const keys = body.keep_ssh_keys ? 0 : await endKeysOf(kernel, tx, actor.id, "password-changed");
    call.note({
      details: {
        sessions_ended: count,
        tokens_ended: tokens,
        tokens_kept: body.keep_tokens.length,
        ssh_keys_ended: keys,
      },
    });
    return { sessions: count, tokens, keys };
  });
  const sentences = ["Your password has been changed."];
  if (ended.sessions > 0) sentences.push("Your other sessions have been ended.");
  if (ended.tokens > 0) sentences.push(ended.tokens === 1 ? "1 API token ended." : `${ended.tokens} API tokens ended.`);
  if (ended.keys > 0) sentences.push(ended.keys === 1 ? "1 SSH key ended." : `${ended.keys} SSH keys ended.`);
  return { message: sentences.join(" ") };
}

const wrong = () => {
  const message = "The current password is wrong.";
  return refuse(400, "password.current-wrong", message, { errors: [{ path: "current_password", msg: message }] });
};

const unchanged = () => {
  const message = "The new password must differ from the current one.";
  return refuse(400, "password.unchanged", message, { errors: [{ path: "new_password", msg: message }] });
};
