// Refuses local passwords for users who sign in through an identity provider.
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { SignInContext } from "../context.ts";

/** Throws 409 with the provider's name for a user without a local password. */
export async function requireOwnPassword({ externalProviders }: SignInContext, db: Db, userId: string): Promise<void> {
  const provider = await externalProviders.current.providerOf(db, userId);
  if (provider === null) return;
  throw refuse(409, "password.elsewhere", `This user signs in through ${provider}. Change the password there.`);
}
