// Users for tests, created and signed in through the real calls.
import { activateUser, login, register } from "@strongroom/contract";
import type { Role, UserId } from "@strongroom/contract";
import { createUser } from "#features/sign-in/index.ts";
import { createPasswords } from "#features/sign-in/passwords/passwords.ts";
import { CHEAP_HASHING } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

export interface TestPerson {
  id: UserId;
  email: string;
  password: string;
  token: string;
}

const PASSWORD = "a long enough password";
const cheapPasswords = createPasswords({ parameters: CHEAP_HASHING });
const admins = new WeakMap<TestApp, Promise<TestPerson>>();
let count = 0;

/**
 * An active user with this role, created as the command line does. Each call creates a new user, except that there is
 * one first administrator for each app.
 */
export async function aPerson(app: TestApp, role: Role = "user"): Promise<TestPerson> {
  await firstAdmin(app);
  count += 1;
  const email = `person${count}@example.com`;
  const id = await createUser(app.kernel, { email, role, password: PASSWORD }, cheapPasswords);
  return { id, email, password: PASSWORD, token: await signIn(app, email) };
}

/** A user who signed up and is waiting for activation. */
export async function aPendingPerson(app: TestApp): Promise<TestPerson> {
  await firstAdmin(app);
  count += 1;
  return signUp(app, `newcomer${count}@example.com`);
}

/** Changes the role as the first administrator; the session stays open. */
export async function activate(app: TestApp, { id }: Pick<TestPerson, "id">): Promise<void> {
  const { token } = await firstAdmin(app);
  const reply = await app.call(activateUser, { params: { id }, body: {}, as: token });
  if (reply.status !== 200) throw new Error(reply.text);
}

/** The administrator who was created by the setup link. */
export function firstAdmin(app: TestApp): Promise<TestPerson> {
  const known = admins.get(app) ?? signUp(app, "admin@example.com", app.config.setupToken ?? undefined);
  admins.set(app, known);
  return known;
}

async function signUp(app: TestApp, email: string, setupToken?: string): Promise<TestPerson> {
  const body = { email, password: PASSWORD, ...(setupToken === undefined ? {} : { setup_token: setupToken }) };
  const reply = await app.call(register, { body });
  if (reply.status !== 201) throw new Error(reply.text);
  const token = await signIn(app, email);
  const payload = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as { id: UserId };
  return { id: payload.id, email, password: PASSWORD, token };
}

export async function signIn(app: TestApp, email: string, password = PASSWORD): Promise<string> {
  const reply = await app.call(login, { body: { email, password } });
  if (reply.status !== 200 || reply.body.token === undefined) throw new Error(reply.text);
  return reply.body.token;
}
