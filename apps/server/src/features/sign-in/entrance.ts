// What a visitor's page must know before anybody is signed in.
import { hasAnyUser, readPolicy } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SignInParts } from "./sign-in-parts.ts";

export async function describeEntrance({ mail }: SignInParts, db: Db) {
  const needsSetup = !(await hasAnyUser(db));
  const { sign_up: rule } = await readPolicy(db);
  return { needs_setup: needsSetup, sign_up_open: rule !== "closed", mail_configured: mail.isConfigured };
}
