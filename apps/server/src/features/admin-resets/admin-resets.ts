// Resets the sign-in of administrators: one administrator requests the reset, another confirms it, and all users
// concerned are notified.
import type {
  AdminReset,
  Message,
  cancelAdminReset,
  confirmAdminReset,
  listAdminResets,
  requestAdminReset,
} from "@strongroom/contract";
import { AdminResetId, UserId } from "@strongroom/contract";
import type { Notify } from "#features/notifications/index.ts";
import {
  countActiveByRole,
  findUser,
  lockActiveAdmins,
  lockUser,
  needsSecondAdmin,
  requireAnotherPerson,
} from "#features/users/index.ts";
import type { Person } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { holdOpen, insertReset, listOpen, settleReset } from "./admin-resets.store.ts";
import type { OpenReset } from "./admin-resets.store.ts";

const REQUEST_LIFE = 24 * 3_600_000;

export interface AdminResetDeps {
  kernel: Kernel;
  notify: Notify;
  isVaultHeld(db: Db, userId: string): Promise<boolean>;
  /** Replaces any earlier link of this person. Throws 409 if their password is not managed here. */
  issueResetLink(tx: Tx, userId: string, by: string): Promise<{ link: string; expiresAt: Date }>;
  /**
   * Deletes the user's factors, ends sessions and API tokens, and notifies the user; returns how many factors were
   * deleted.
   */
  resetFactors(tx: Tx, person: Person, by: { name: string }): Promise<number>;
}

export async function list({ kernel }: AdminResetDeps, { actor }: Call<typeof listAdminResets>, db: Db) {
  const rows = await listOpen(db, kernel.clock.now());
  const me = await findUser(db, actor.id);
  const { admin: administrators } = await countActiveByRole(db);
  return { data: rows.map((row) => shown(row, me)), administrators };
}

export async function request(deps: AdminResetDeps, call: Call<typeof requestAdminReset>, tx: Tx): Promise<AdminReset> {
  const { kernel, notify } = deps;
  const { user_id: userId, kind, reason } = call.body;
  const now = kernel.clock.now();
  const admins = await lockActiveAdmins(tx);
  const person = await lockUser(tx, userId);
  if (person === undefined) throw refuse(404, "user.not-found", "User not found");
  call.note({ target: { type: "user", id: person.id, name: person.email }, reason, details: { kind } });
  requireAnotherPerson(call.actor.id, person.id);
  if (person.status !== "active") throw refuse(409, "user.disabled", "This user is disabled. Enable the user first.");
  if (!needsSecondAdmin(person, await deps.isVaultHeld(tx, person.id), now)) {
    throw refuse(409, "admin-reset.not-needed", "This user is not an administrator. Reset their sign-in directly.");
  }
  const confirmers = admins.filter((id) => id !== call.actor.id && id !== person.id);
  if (confirmers.length === 0) throw nobodyConfirms(person.email, kind);
  const id = AdminResetId.parse(newId(now.getTime()));
  const row = { id, user_id: person.id, kind, reason, requested_by: call.actor.id, requested_at: now };
  const expiresAt = new Date(now.getTime() + REQUEST_LIFE);
  if (!(await insertReset(tx, { ...row, expires_at: expiresAt }))) {
    throw refuse(409, "admin-reset.open", "There is already an open request for this. Confirm or cancel it first.");
  }
  await tell(notify, tx, {
    to: [...new Set([...confirmers, person.id])],
    title: `A reset of ${person.name}'s ${WORDS[kind]} was requested`,
    message: `${call.actor.name} requested it: "${reason}". Another administrator must confirm it within 24 hours. Cancel it if it is not wanted.`,
    actionRequired: true,
  });
  const { name, email } = person;
  return shown(
    { ...row, expires_at: expiresAt, name, email, requester: call.actor.name },
    await findUser(tx, call.actor.id),
  );
}

const WORDS = { password: "password", factors: "second factors" } as const;

const nobodyConfirms = (email: string, kind: AdminReset["kind"]) =>
  refuse(
    409,
    "admin-reset.no-second",
    `No other administrator can confirm this. On the machine that runs Strongroom, run: strongroom user ${kind === "password" ? "reset" : "reset-factors"} ${email}`,
  );

/**
 * INVARIANT: a reset involves three people: an administrator can confirm neither a reset that they requested nor a
 * reset of their own account.
 */
export async function confirm(deps: AdminResetDeps, call: Call<typeof confirmAdminReset>, tx: Tx) {
  const { kernel, notify } = deps;
  const { actor } = call;
  const now = kernel.clock.now();
  await lockActiveAdmins(tx);
  const reset = await held(deps, call, tx);
  const person = await lockUser(tx, reset.user_id);
  if (person?.status !== "active") throw notThere();
  if (!mayConfirm(reset, await findUser(tx, actor.id))) throw notYours();
  await settleReset(tx, reset.id, { outcome: "confirmed", settled_by: actor.id, settled_at: now });
  const by = `${reset.requester} and ${actor.name}`;
  const link = reset.kind === "password" ? await deps.issueResetLink(tx, person.id, by) : null;
  if (reset.kind === "factors") await deps.resetFactors(tx, person, { name: by });
  await tell(notify, tx, {
    to: [reset.requested_by, actor.id, person.id],
    title: `The reset of ${person.name}'s ${WORDS[reset.kind]} was confirmed`,
    message: `${reset.requester} requested it and ${actor.name} confirmed it. If you did not expect this, contact another administrator immediately.`,
    actionRequired: false,
  });
  return { link: link?.link ?? null, expires_at: link?.expiresAt.toISOString() ?? null };
}

export async function cancel(deps: AdminResetDeps, call: Call<typeof cancelAdminReset>, tx: Tx): Promise<Message> {
  const reset = await held(deps, call, tx);
  const settled = { outcome: "cancelled", settled_by: call.actor.id, settled_at: deps.kernel.clock.now() } as const;
  await settleReset(tx, reset.id, settled);
  await tell(deps.notify, tx, {
    to: [reset.requested_by, reset.user_id],
    title: `The reset of ${reset.name}'s ${WORDS[reset.kind]} was cancelled`,
    message: `${call.actor.name} cancelled ${reset.requester}'s request.`,
    actionRequired: false,
  });
  return { message: `The request to reset the ${WORDS[reset.kind]} of ${reset.name} was cancelled.` };
}

async function held(
  { kernel }: AdminResetDeps,
  call: Pick<Call<typeof cancelAdminReset>, "params" | "note">,
  tx: Tx,
): Promise<OpenReset> {
  const reset = await holdOpen(tx, call.params.id, kernel.clock.now());
  if (reset === undefined) throw notThere();
  const { requested_by, kind } = reset;
  call.note({
    target: { type: "user", id: reset.user_id, name: reset.email },
    severity: "high",
    details: { kind, requested_by, requester: reset.requester, request: reset.id },
  });
  return reset;
}

/** Excludes administrators appointed after the request: the requester could have appointed them for it. */
const mayConfirm = (reset: OpenReset, me: Pick<Person, "id" | "role" | "admin_since"> | undefined): boolean =>
  me?.role === "admin" &&
  me.id !== reset.requested_by &&
  me.id !== reset.user_id &&
  me.admin_since !== null &&
  me.admin_since <= reset.requested_at;

const notThere = () =>
  refuse(
    404,
    "admin-reset.not-found",
    "This request is not open. It was confirmed or cancelled, or it expired after 24 hours.",
  );

const notYours = () =>
  refuse(
    403,
    "admin-reset.other-needed",
    "Another administrator must confirm this: not the requester, not the user being reset, and not one appointed after the request.",
  );

const shown = (row: OpenReset, me: Person | undefined): AdminReset => ({
  id: AdminResetId.parse(row.id),
  kind: row.kind,
  person: { id: UserId.parse(row.user_id), name: row.name, email: row.email },
  reason: row.reason,
  requested_by: { id: UserId.parse(row.requested_by), name: row.requester },
  requested_at: row.requested_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  can_confirm: mayConfirm(row, me),
});

async function tell(
  notify: Notify,
  tx: Tx,
  { to, ...told }: { to: readonly string[]; title: string; message: string; actionRequired: boolean },
): Promise<void> {
  await notify(tx, {
    ...told,
    to: { users: to },
    type: "security_alert",
    severity: "critical",
    metadata: {},
    link: "/admin?tab=resets",
    mail: "always",
  });
}
