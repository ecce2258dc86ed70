// What the command line does with people: make an account, hand out a reset link, disable and enable. Recorded as its own.
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
  tellOfNewAdmin,
  tellOfResetLink,
} from "#features/users/index.ts";
import type { Person } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createPasswords } from "./passwords.ts";
import { issueResetLink } from "./reset-password.ts";
import { findProviderName } from "./resets.store.ts";
import { endSessions } from "./sessions.ts";
import { lockSetup } from "./setup.store.ts";

/** What there is without a server: no calls and no keys. */
export type Desk = Pick<Kernel, "clock" | "config" | "database" | "events" | "publicUrl">;

export interface NewAccount {
  email: string;
  /** Without one, the part of the email before the "@". */
  name?: string;
  role: Role;
  /** Without one nobody can sign in before a reset link was used. */
  password?: string;
}

/** Returns the id of the new user. Throws a refusal with a plain sentence when it can't be made. */
export async function createUser(desk: Desk, account: NewAccount, passwords = createPasswords()): Promise<UserId> {
  const email = checked(Email, account.email);
  const name = account.name === undefined ? nameFromEmail(email) : checked(PersonName, account.name);
  const password = account.password ?? randomBytes(96).toString("base64url");
  requireGoodPassword(await readPolicy(desk.database.db), { password, role: account.role, email, name });
  const hash = await passwords.hash(checked(Password, password));
  const now = desk.clock.now();
  const id = UserId.parse(newId(now.getTime()));
  await desk.database.transaction(async (tx) => {
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
    if (!isNew) throw refuse(409, "account.exists", `There is a user ${email} already.`);
    await record(desk, tx, "user.registered", {
      target: { type: "user", id, name: email },
      details: { role: account.role },
    });
    if (account.role === "admin") await tellOfNewAdmin(notifyOf(desk), tx, { person: { id, name }, by: COMMAND_LINE });
  });
  return id;
}

/**
 * The single-use link by which somebody sets a new password; replaces any earlier one. Throws a refusal for somebody who
 * isn't there, is disabled, or has their password elsewhere.
 */
export async function makeResetLink(desk: Desk, email: string): Promise<{ link: string; expiresAt: Date }> {
  return desk.database.transaction(async (tx) => {
    const person = await named(tx, email);
    if (person.kind === "machine") throw refuse(409, "user.machine", "A machine identity has no password to reset.");
    if (!canSignIn(person)) throw refuse(409, "user.disabled", "This user is disabled. Enable them first.");
    const provider = await findProviderName(tx, person.id);
    if (provider !== null) throw elsewhere(provider);
    const made = await issueResetLink(desk, tx, person.id, COMMAND_LINE);
    await record(desk, tx, "password-reset.link-issued", { target: targetOf(person) });
    if (person.last_signed_in_at !== null) await tellOfResetLink(notifyOf(desk), tx, { person, by: COMMAND_LINE });
    return made;
  });
}

const COMMAND_LINE = "Somebody at the command line of the server";

const elsewhere = (provider: string) =>
  refuse(
    409,
    "password.elsewhere",
    `This person signs in through ${provider} and has no password here. If nobody can administer any more, make another administrator: user add EMAIL --role admin.`,
  );

/**
 * Disabling ends every session at once, and what `whenDisabled` says. Throws a refusal for the last administrator, and for
 * somebody who isn't there.
 */
export async function setUserStatus(
  desk: Desk,
  email: string,
  status: "active" | "disabled",
  whenDisabled: (desk: Desk, tx: Tx, userId: UserId) => Promise<void>,
): Promise<void> {
  await desk.database.transaction(async (tx) => {
    const admins = await lockActiveAdmins(tx);
    const person = await named(tx, email);
    if (status === "disabled") requireAnotherAdmin(person.id, admins);
    await setStatus(tx, person.id, status);
    if (status === "disabled") {
      await endSessions(desk, tx, person.id);
      await whenDisabled(desk, tx, person.id);
    }
    const details = { from: person.status, to: status };
    await record(desk, tx, "user.status-changed", { target: targetOf(person), details });
  });
}

async function named(tx: Tx, email: string): Promise<Person> {
  const found = await findUserByEmail(tx, checked(Email, email));
  const person = found && (await lockUser(tx, found.id));
  if (person === undefined) throw refuse(404, "user.not-found", `There is no user ${email}.`);
  return person;
}

const targetOf = ({ id, email }: Person) => ({ type: "user", id, name: email });

async function record({ clock }: Desk, tx: Tx, event: string, note: AuditNote): Promise<void> {
  await appendAudit(tx, [systemEntry(event, "command line", note, clock.now())]);
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(400, "request.invalid", parsed.error.issues[0]?.message ?? "This value is not usable.");
}
