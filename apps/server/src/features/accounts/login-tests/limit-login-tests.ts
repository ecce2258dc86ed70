// Limits login tests with values that no account has, so that they cannot be used to guess passwords or lock accounts
// on targets.
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { loginKey } from "#features/verification/index.ts";
import { WINDOW, countRecentTests, insertTest } from "./login-tests.store.ts";

/** Directories and databases lock an account after five failures or more; two are left for the account's users. */
const MOST_OF_LOGIN = 3;
const MOST_OF_USER = 8;

export interface LoginTest {
  id: string;
  userId: string;
  host: string | null;
  port: number | null;
  username: string;
}

/**
 * Counts a login; call it in a transaction that commits before the login is sent. Throws 409 after a few rejected ones: with
 * 429, clients would wait and try again.
 */
export async function beginLoginTest(tx: Tx, { id, userId, host, port, username }: LoginTest): Promise<void> {
  const login = loginKey(host ?? "", port, username);
  const { ofUser, ofLogin } = await countRecentTests(tx, userId, login);
  if (ofLogin >= MOST_OF_LOGIN || ofUser >= MOST_OF_USER) throw tooMany(ofLogin >= MOST_OF_LOGIN);
  await insertTest(tx, { id, user_id: userId, login });
}

const tooMany = (isOfLogin: boolean) =>
  refuse(
    409,
    "account.tested-too-often",
    isOfLogin
      ? `The target rejected this login ${MOST_OF_LOGIN} times. Another try could lock the account there; wait ${WINDOW} minutes.`
      : `Targets rejected ${MOST_OF_USER} of your tests. Wait ${WINDOW} minutes.`,
  );

export { endTest as endLoginTest } from "./login-tests.store.ts";
