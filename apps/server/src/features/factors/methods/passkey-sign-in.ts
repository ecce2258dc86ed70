// Signs in with a passkey alone: the device is one factor, and its PIN or biometric check the other.
import type { PasskeyRequest, SignedIn, signInWithPasskey } from "@strongroom/contract";
import { openSession, refused } from "#features/sign-in/index.ts";
import { findUser, findUserByEmail } from "#features/users/index.ts";
import { openByFactor } from "#features/vault-closure/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import type { FactorsContext } from "../context.ts";
import { askForPasskey, checkPasskey } from "./passkeys.ts";
import { wrongProof } from "../proofs/prove.ts";

/** The browser offers the passkeys that it has for this site, so the server does not reveal which users have passkeys. */
export async function askForAnyPasskey({ kernel }: FactorsContext): Promise<PasskeyRequest> {
  const asked = await askForPasskey(kernel, "sign-in", null, []);
  await kernel.database.transaction((tx) => asked.keep(tx));
  return asked.options;
}

/**
 * INVARIANT: a passkey never signs in a user without a local password. That user signs in through their provider, which may have
 * locked them out.
 */
export async function enterWithPasskey(
  parts: FactorsContext,
  call: SteppedCall<typeof signInWithPasskey>,
  db: Db,
): Promise<SignedIn> {
  const { kernel, signIn } = parts;
  const { response, remember_me: isRemembered } = call.body;
  const use = await checkPasskey(kernel, response, "sign-in", null);
  const person = use && (await findUser(db, use.factor.user_id));
  const user = person && (await findUserByEmail(db, person.email));
  if (use === null || user == null || user.password_hash === "") throw refused();
  return openSession(signIn, call, {
    user,
    method: "passkey",
    isRemembered,
    isStrong: true,
    within: async (tx) => {
      if (!(await use.spend(tx))) throw wrongProof();
      await openByFactor(kernel, tx, user.id, use.factor.created_at);
    },
  });
}
