// Users of a server under test: creates them, and makes calls without a browser.
import { UserId, login, pathOf, register } from "@strongroom/contract";
import type { Endpoint, InputOf, ReplyOf, Role } from "@strongroom/contract";
import type { RunningServer } from "./server.ts";

export interface Person {
  email: string;
  password: string;
  role: Role;
}

/** Makes a call over HTTP. Rejects with the status and the problem if the call is refused. */
export async function ask<E extends Endpoint>(
  url: string,
  endpoint: E,
  input: InputOf<E> = {},
  token: string | null = null,
): Promise<ReplyOf<E>> {
  const answer = await send(url, endpoint, input, token);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${endpoint.method} ${endpoint.path}: ${answer.status} ${text}`);
  return JSON.parse(text) as ReplyOf<E>;
}

/** Makes a call over HTTP and returns any reply. Rejects only if there is no reply. */
export function send<E extends Endpoint>(
  url: string,
  endpoint: E,
  input: InputOf<E> = {},
  token: string | null = null,
): Promise<Response> {
  const query = new URLSearchParams(input.query ?? {});
  const path = pathOf(endpoint.path, input.params ?? {});
  return fetch(`${url}${path}${query.size > 0 ? `?${query}` : ""}`, {
    method: endpoint.method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(input.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  });
}

const PASSWORD = "a long enough password";

/** Creates the first user of a new installation through its setup link. */
export async function firstAdmin({ url, setupLink }: Pick<RunningServer, "url" | "setupLink">): Promise<Person> {
  const token = /#setup_token=(\S+)$/.exec(setupLink ?? "")?.[1];
  if (token === undefined) throw new Error("this server has an administrator already");
  const admin: Person = { email: "ada@example.com", password: PASSWORD, role: "admin" };
  const { email, password, role } = admin;
  // Every user who signs up is active immediately, so that tests need no administrator to activate them.
  const sign_up = { sign_up: "open" as const, sign_up_domains: [] };
  await ask(url, register, { body: { email, password, role, setup_token: decodeURIComponent(token), sign_up } });
  return admin;
}

/** Creates another user with the role `user`. */
export async function aUser({ url }: Pick<RunningServer, "url">, email: string): Promise<Person> {
  await ask(url, register, { body: { email, password: PASSWORD } });
  return { email, password: PASSWORD, role: "user" };
}

export async function tokenOf({ url }: Pick<RunningServer, "url">, { email, password }: Person): Promise<string> {
  const { token } = await ask(url, login, { body: { email, password } });
  if (token === undefined) throw new Error(`${email} has a second factor`);
  return token;
}

/** The owner of the token. */
export function userIdOf(token: string): UserId {
  const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return UserId.parse((claims as { id: unknown }).id);
}
