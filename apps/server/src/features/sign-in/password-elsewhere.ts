// Who signs in through an identity provider has no password here, and gets none.
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { SignInParts } from "./sign-in-parts.ts";

/** Throws 409 with the provider's name for somebody whose password is not ours. */
export async function requireOwnPassword({ elsewhere }: SignInParts, db: Db, userId: string): Promise<void> {
  const provider = await elsewhere.current.providerOf(db, userId);
  if (provider === null) return;
  throw refuse(409, "password.elsewhere", `This person signs in through ${provider}. The password is changed there.`);
}
