// Only a one-time link, shown to the operator who starts the server, lets the first administrator sign up.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { hasAnyUser } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { deleteSetupHash, findSetupHash, lockSetup, writeSetupHash } from "./setup.store.ts";

/**
 * Returns the link for creating the first administrator, or null when a user exists. The token follows the `#`, so that
 * browsers do not send it and proxies do not log it. A new link invalidates earlier ones, unless the token is
 * configured.
 */
export async function setupLink(kernel: Pick<Kernel, "config" | "database" | "publicUrl">): Promise<string | null> {
  const { db } = kernel.database;
  if (await hasAnyUser(db)) return null;
  const token = kernel.config.setupToken ?? randomBytes(24).toString("base64url");
  await kernel.database.transaction((tx) => writeSetupHash(tx, sha256(token)));
  return `${kernel.publicUrl()}/signup#setup_token=${encodeURIComponent(token)}`;
}

/** Whether the next registration is the first. Throws 403 when it is the first but lacks the setup token. */
export async function requireSetupToken(kernel: Kernel, db: Db, token: string | undefined): Promise<boolean> {
  if (await hasAnyUser(db)) return false;
  if (token === undefined || token === "") {
    throw refuse(403, "setup.token-required", "Create the first account with the setup link that the server printed.");
  }
  const configured = kernel.config.setupToken === null ? null : sha256(kernel.config.setupToken);
  const expected = configured ?? (await findSetupHash(db));
  if (expected === null || !timingSafeEqual(sha256(token), expected)) {
    throw refuse(403, "setup.token-wrong", "This setup link is not valid. Use the latest one that the server printed.");
  }
  return true;
}

/**
 * Determines within the transaction whether this is the first user. INVARIANT: of any number of concurrent first
 * registrations, exactly one is the first.
 */
export async function claimSetup(tx: Tx): Promise<boolean> {
  await lockSetup(tx);
  if (await hasAnyUser(tx)) return false;
  await deleteSetupHash(tx);
  return true;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
