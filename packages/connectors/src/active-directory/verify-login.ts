// Logs in to a domain controller and reads the account's own facts.
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { verified } from "../finding.ts";
import { textOf } from "../ldap/entries.ts";
import { findEntry, mayBePrevious, OLD_PASSWORD_MINUTES, timeOfFiletime } from "./entry.ts";
import { logIn, type DomainSession } from "./log-in.ts";

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const login = await logIn(target, password, current);
  if ("failure" in login) return login.failure;
  try {
    const { address } = login;
    const passwordChangedAt = await changedAt(login);
    const isDoubtful = mayBePrevious(passwordChangedAt, current.context.now());
    const done = `Logged in to ${nameOf(address)} as ${address.username}.`;
    const doubt = ` The password was changed less than ${OLD_PASSWORD_MINUTES} minutes ago: a domain controller may still accept the previous one.`;
    return verified(isDoubtful ? `${done}${doubt}` : done, {
      passwordChangedAt,
      mayBePreviousPassword: isDoubtful,
      tls: { mode: address.tls.mode, isStartTls: !address.isTlsFromStart },
    });
  } finally {
    login.session.close();
  }
}

/** The login has already succeeded: if the entry is unreadable, its facts stay unknown. */
async function changedAt({ session, name }: DomainSession): Promise<string | null> {
  try {
    const entry = await findEntry(session.client, name, ["pwdLastSet"]);
    return entry === null ? null : timeOfFiletime(textOf(entry, "pwdLastSet"));
  } catch {
    return null;
  }
}
