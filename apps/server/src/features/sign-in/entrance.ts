// Describes what the sign-in page needs to know before a user is signed in.
import { hasAnyUser, readPolicy } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SignInContext } from "./context.ts";

export async function describeEntrance({ mail }: SignInContext, db: Db) {
  const needsSetup = !(await hasAnyUser(db));
  const { sign_up: rule } = await readPolicy(db);
  return { needs_setup: needsSetup, sign_up_open: rule !== "closed", mail_configured: mail.isConfigured };
}
