// Limits how often one login on a target is rejected, whichever stored secrets are tried: stored guesses neither open an
// account on a target nor lock it there.
import { connectionAddress } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { countRejections, wasVerified } from "../verification.store.ts";
import { connectorOf, destinationOf } from "../verification.ts";
import type { LoginRow } from "../verification.ts";

/** Targets often lock an account after five failures; two are left for the account's users. */
const MOST_REJECTED = 3;
const WINDOW_MINUTES = 10;
const WINDOW_MS = WINDOW_MINUTES * 60_000;

/** A host, port and user name as one text for all spellings: in lower case, without a domain and without a final dot. */
export function loginKey(host: string, port: number | null | undefined, username: string): string {
  const withoutDomain = username
    .replace(/^.*\\/, "")
    .replace(/(?<=.)@.*$/, "")
    .replaceAll(" ", "");
  return `${host.replace(/\.$/, "")}:${port ?? ""} ${withoutDomain}`.toLowerCase();
}

/** The login of the secret. Null without a user name: API tokens of many customers go to one host. */
export function loginOf(secretRow: LoginRow): string | null {
  const host = destinationOf(secretRow);
  const url = URL.parse(secretRow.connection_string ?? "");
  const address = url === null ? null : connectionAddress(url);
  const name = (secretRow.username || address?.username) ?? "";
  if (host === null || name === "") return null;
  return loginKey(host, address?.port ?? secretRow.port ?? connectorOf(secretRow).defaultPort, name);
}

/** The login that this attempt counts for. A secret that worked since it last changed is not a guess and does not count. */
export async function countedLogin(tx: Tx, secretRow: SecretRow): Promise<string | null> {
  const login = loginOf(secretRow);
  return login === null || (await wasVerified(tx, secretRow.id, secretRow.login_revision)) ? null : login;
}

/** Returns when the login may be tried again, or null if it may be tried now. */
export async function pausedUntil(tx: Tx, login: string | null, now: Date): Promise<Date | null> {
  if (login === null) return null;
  const { count, last } = await countRejections(tx, login, new Date(now.getTime() - WINDOW_MS));
  return count >= MOST_REJECTED && last !== null ? new Date(last.getTime() + WINDOW_MS) : null;
}

/** 409: with 429, clients would wait and try again. */
export const rejectedTooOften = () =>
  refuse(
    409,
    "verification.rejected-too-often",
    `The target rejected this login ${MOST_REJECTED} times. Another try could lock the account there; wait ${WINDOW_MINUTES} minutes.`,
  );
