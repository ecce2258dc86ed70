// API calls for the secret under test: a user's credential, or an account in a safe whose platform uses a reconcile account.
import {
  createAccount,
  createCredential,
  createSafe,
  isFailing,
  listAccountRotations,
  listCredentialRotations,
  listPlatforms,
  readAccountDetails,
  readCredential,
  retrieveAccount,
  revealCredential,
  rotateAccount,
  rotateCredential,
  updatePlatform,
} from "@strongroom/contract";
import type {
  AccountId,
  CredentialId,
  NewPlatform,
  Platform,
  PlatformId,
  Rotation,
  SafeId,
} from "@strongroom/contract";
import { ask, send } from "../people.ts";
import type { AccountBody, AccountKind, Reconciler, Subject } from "./subject.ts";

/** An account on the target, with its name and address in the product. */
type StoredBody = AccountBody & { name: string; host: string; port: number };

export interface SecretClient {
  /** Returns the id of the stored secret. */
  store(body: StoredBody): Promise<string>;
  /** The result of the latest verification. */
  verificationOf(id: string): Promise<{ isProved: boolean; problem: string | null }>;
  rotate(id: string): Promise<Response>;
  latest(id: string): Promise<Rotation | null>;
  reveal(id: string): Promise<string>;
}

/** The server's current address and the caller's token. */
export interface Caller {
  url(): string;
  token: string;
}

export function credentials({ url, token }: Caller): SecretClient {
  const at = (id: string) => ({ params: { id: id as CredentialId } });
  return {
    store: async (body) => (await ask(url(), createCredential, { body }, token)).id,
    async verificationOf(id) {
      const found = await ask(url(), readCredential, at(id), token);
      const { verification_status: status, verification_error: error } = found;
      return { isProved: status === "verified", problem: isFailing(status) ? String(error) : null };
    },
    rotate: (id) => send(url(), rotateCredential, at(id), token),
    latest: async (id) => (await ask(url(), listCredentialRotations, at(id), token)).rotations[0] ?? null,
    reveal: async (id) => (await ask(url(), revealCredential, { ...at(id), body: {} }, token)).value,
  };
}

export interface Location {
  safe_id: SafeId;
  platform_id: PlatformId;
}

/** Creates a safe, and sets up a platform of this kind that has no requirements for retrieval. */
export async function openSafe(
  { url, token }: Caller,
  { system_type, connection_method }: AccountKind,
): Promise<Location> {
  const safe = await ask(url(), createSafe, { body: { name: "Rotation safety" } }, token);
  const { platforms } = await ask(url(), listPlatforms, { query: {} }, token);
  const found = platforms.find((each) => each.system_type === system_type) ?? platforms[0]!;
  await change({ url, token }, found, { system_type, connection_method });
  return { safe_id: safe.id, platform_id: found.id };
}

const NO_REQUIREMENTS = {
  approvals_level_1: 0,
  approvals_level_2: 0,
  reason_required: false,
  ticket_required: false,
  exclusive_check_out: false,
  one_time_password: false,
  rotate_after_check_in: false,
  rotate_every_days: null,
} satisfies Partial<NewPlatform>;

async function change({ url, token }: Caller, platform: Platform, changes: Partial<NewPlatform>): Promise<void> {
  const { id, account_count: _, reconcile_readiness: __, created_at: ___, updated_at: ____, ...policy } = platform;
  const body = { ...policy, ...NO_REQUIREMENTS, ...changes };
  await ask(url(), updatePlatform, { params: { id }, body }, token);
}

export function accounts({ url, token }: Caller, place: Location, kind: AccountKind): SecretClient {
  const at = (id: string) => ({ params: { id: id as AccountId } });
  return {
    async store({ host: hostname, value: password, name, port, username, ...rest }) {
      const { database_name, schema_name, ssl_enabled, additional_params } = rest;
      const more = { database_name, schema_name, ssl_enabled, additional_params };
      const body = { ...kind, ...place, ...more, name, hostname, port, username, password };
      return (await ask(url(), createAccount, { body }, token)).id;
    },
    async verificationOf(id) {
      const found = await ask(url(), readAccountDetails, at(id), token);
      const { last_validation_status: status, validation_message: message } = found;
      return { isProved: status === "valid", problem: status === "invalid" ? String(message) : null };
    },
    rotate: (id) => send(url(), rotateAccount, at(id), token),
    latest: async (id) => (await ask(url(), listAccountRotations, at(id), token)).rotations[0] ?? null,
    reveal: async (id) => (await ask(url(), retrieveAccount, { ...at(id), body: {} }, token)).password,
  };
}

/** Creates accounts whose passwords are set by a reconcile account, which logs in at their address. */
export async function reconciled(
  caller: Caller,
  { upstream, name }: Pick<Subject, "upstream" | "name">,
  { kind, account }: Reconciler,
): Promise<SecretClient> {
  const place = await openSafe(caller, kind);
  const client = accounts(caller, place, kind);
  const { host, port } = upstream;
  const id = (await client.store({ ...account, name: `sets passwords of ${name}`, host, port })) as AccountId;
  const { platforms } = await ask(caller.url(), listPlatforms, { query: {} }, caller.token);
  const platform = platforms.find((each) => each.id === place.platform_id)!;
  await change(caller, platform, {
    rotate_as: "reconcile-account",
    reconcile_account_id: id,
    reconcile_hosts: ["127.0.0.0/8"],
  });
  return client;
}
