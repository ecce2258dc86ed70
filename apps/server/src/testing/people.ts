// People for tests: registered, given their role, and signed in, through the same calls as real ones.
import { changeUserRole, login, register } from "@strongroom/contract";
import type { Role, UserId } from "@strongroom/contract";
import type { TestApp } from "./test-app.ts";

export interface TestPerson {
  id: UserId;
  email: string;
  password: string;
  token: string;
}

const PASSWORD = "a long enough password";
const admins = new WeakMap<TestApp, Promise<TestPerson>>();
let count = 0;

/** A person with this role; each call makes another one, except that there is one first administrator for each app. */
export async function aPerson(app: TestApp, role: Role = "user"): Promise<TestPerson> {
  const admin = await firstAdmin(app);
  count += 1;
  const person = await signUp(app, `person${count}@example.com`);
  if (role === "user") return person;
  const changed = await app.call(changeUserRole, { params: { id: person.id }, body: { role }, as: admin.token });
  if (changed.status !== 200) throw new Error(changed.text);
  // The token carries the role, so the change has ended the session.
  return { ...person, token: await signIn(app, person.email) };
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
