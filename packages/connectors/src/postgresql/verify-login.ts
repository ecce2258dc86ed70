// Verifies a PostgreSQL password, and reads the role's own facts.
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { verified } from "../finding.ts";
import { factsOf } from "./facts.ts";
import { logIn } from "./login.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const login = await logIn(target, password, current, { queryTimeoutMs: current.remainingMs() / 2 });
  if ("failure" in login) return login.failure;
  const { client, address, tls } = login.loggedIn;
  const role = await factsOf(client, target.schemaName);
  const parts = [`Logged in to ${nameOf(address)}/${address.database ?? address.username} as ${address.username}.`];
  if (role.schemaExists === false)
    parts.push(`The schema ${target.schemaName} does not exist there, or the role has no permission to see it.`);
  if (role.validUntil !== null) parts.push(`The password is valid until ${role.validUntil}.`);
  return verified(parts.join(" "), { ...role, tls });
}
