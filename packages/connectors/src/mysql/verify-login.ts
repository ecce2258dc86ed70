// Verifies a MySQL or MariaDB password, and that the entry's database can be used.
import { escapeId } from "mysql2";
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { verified } from "../finding.ts";
import { loginFailure } from "./login-failure.ts";
import { logIn } from "./login.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const login = await logIn(target, password, current);
  if ("failure" in login) return login.failure;
  const { address, tls, identity, ask } = login.loggedIn;
  try {
    if (address.database !== null) await ask(`use ${escapeId(address.database)}`);
  } catch (error) {
    return loginFailure(error, address, tls.mode !== "disable");
  }
  const database = address.database === null ? "" : `/${address.database}`;
  return verified(`Logged in to ${nameOf(address)}${database} as ${address.username}.`, {
    serverVersion: /^\d{1,3}(\.\d{1,3}){0,2}(-MariaDB)?/.exec(identity?.version ?? "")?.[0] ?? null,
    tls: { mode: tls.mode, protocol: tls.protocol },
  });
}
