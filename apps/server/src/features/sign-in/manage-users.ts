// Manages users from the command line: creates accounts and reset links, disables and enables. Audited as `command line`.
import { Email, Password, PersonName, UserId } from "@strongroom/contract";
import type { Role } from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import type { z } from "zod";
import { notifyOf } from "#features/notifications/index.ts";
import {
  canSignIn,
  findUserByEmail,
  insertUser,
  lockActiveAdmins,
  lockUser,
  nameFromEmail,
  readPolicy,
  requireAnotherAdmin,
  requireGoodPassword,
  setStatus,
  notifyOfNewAdmin,
  notifyOfResetLink,
} from "#features/users/index.ts";
import type { Person } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createPasswords } from "./passwords/passwords.ts";
import { issueResetLink } from "./passwords/reset-password.ts";
import { findProviderName } from "./passwords/resets.store.ts";
import { endSessions } from "./sessions/sessions.ts";
import { lockSetup } from "./setup/setup.store.ts";

/** The dependencies that exist without a running server: no HTTP calls and no keys. */
export type UserAdminContext = Pick<Kernel, "clock" | "config" | "database" | "events" | "publicUrl">;

export interface NewAccount {
  email: string;
  /** Defaults to the part of the email before the "@". */
  name?: string;
  role: Role;
  /** Without a password, the user must use a reset link before they can sign in. */
  password?: string;
}

/** Returns the id of the new user. Throws a refusal when the account cannot be created. */
export async function createUser(
  context: UserAdminContext,
  account: NewAccount,
  passwords = createPasswords(),
): Promise<UserId> {
  const email = checked(Email, account.email);
  const name = account.name === undefined ? nameFromEmail(email) : checked(PersonName, account.name);
  const password = account.password ?? randomBytes(96).toString("base64url");
  requireGoodPassword(await readPolicy(context.database.db), { password, role: account.role, email, name });
  const hash = await passwords.hash(checked(Password, password));
  const now = context.clock.now();
  const id = UserId.parse(newId(now.getTime()));
  await context.database.transaction(async (tx) => {
    await lockSetup(tx);
    const isNew = await insertUser(tx, {
      id,
      email,
      name,
      role: account.role,
      requested_role: null,
      status: "active",
      password_hash: hash,
      created_at: now,
      last_signed_in_at: null,
    });
    if (!isNew) throw refuse(409, "account.exists", `A user with the email address ${email} already exists.`);
    await record(context, tx, "user.registered", {
      target: { type: "user", id, name: email },
      details: { role: account.role },
    });
    if (account.role === "admin")
      await notifyOfNewAdmin(notifyOf(context), tx, { person: { id, name }, by: COMMAND_LINE });
  });
  return id;
}

/**
 * Creates a single-use link for setting a new password, which replaces any earlier link. Throws a refusal for a user
 * who does not exist, is disabled, or signs in through an identity provider.
 */
export async function createResetLink(
  context: UserAdminContext,
  email: string,
): Promise<{ link: string; expiresAt: Date }> {
  return context.database.transaction(async (tx) => {
    const person = await named(tx, email);
    if (person.kind === "machine") throw refuse(409, "user.machine", "A machine identity has no password to reset.");
    if (!canSignIn(person)) throw refuse(409, "user.disabled", "This user is disabled. Enable the user first.");
    const provider = await findProviderName(tx, person.id);
    if (provider !== null) throw passwordAtProvider(provider);
    const made = await issueResetLink(context, tx, person.id, COMMAND_LINE);
    await record(context, tx, "password-reset.link-issued", { target: targetOf(person) });
    if (person.last_signed_in_at !== null) await notifyOfResetLink(notifyOf(context), tx, { person, by: COMMAND_LINE });
    return made;
  });
}

const COMMAND_LINE = "An operator on the server's command line";

const passwordAtProvider = (provider: string) =>
  refuse(
    409,
    "password.elsewhere",
    `This user signs in through ${provider} and has no password here. If no administrator can sign in, create one: user add EMAIL --role admin.`,
  );

/**
 * Disabling ends every session immediately and calls `whenDisabled`. Throws a refusal for the last administrator and for an unknown
 * user.
 */
export async function setUserStatus(
  context: UserAdminContext,
  email: string,
  status: "active" | "disabled",
  whenDisabled: (context: UserAdminContext, tx: Tx, userId: UserId) => Promise<void>,
): Promise<void> {
  await context.database.transaction(async (tx) => {
    const admins = await lockActiveAdmins(tx);
    const person = await named(tx, email);
    if (status === "disabled") requireAnotherAdmin(person.id, admins);
    // INVARIANT: only activation enables an account that was never activated.
    if (person.status === "pending") throw awaitingActivation();
    await setStatus(tx, person.id, status);
    if (status === "disabled") {
      await endSessions(context, tx, person.id);
      await whenDisabled(context, tx, person.id);
    }
    const details = { from: person.status, to: status };
    await record(context, tx, "user.status-changed", { target: targetOf(person), details });
  });
}

const awaitingActivation = () =>
  refuse(
    409,
    "user.awaiting-activation",
    "This account is waiting for activation. Activate or delete it in User Management.",
  );

async function named(tx: Tx, email: string): Promise<Person> {
  const found = await findUserByEmail(tx, checked(Email, email));
  const person = found && (await lockUser(tx, found.id));
  if (person === undefined) throw refuse(404, "user.not-found", `There is no user with the email address ${email}.`);
  return person;
}

const targetOf = ({ id, email }: Person) => ({ type: "user", id, name: email });

async function record({ clock }: UserAdminContext, tx: Tx, event: string, note: AuditNote): Promise<void> {
  await appendAudit(tx, [systemEntry(event, "command line", note, clock.now())]);
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(400, "request.invalid", parsed.error.issues[0]?.message ?? "This value is not valid.");
}
