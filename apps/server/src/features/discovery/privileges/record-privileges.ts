// Stores the reasons for privileges and the keys that a scan reported.
import { isFullControl } from "@strongroom/connectors";
import type { Collected, ListedAccount } from "@strongroom/connectors";
import type { Tx } from "#kernel/db/database.ts";
import { identityOf } from "../discovery.policy.ts";
import type { TargetRow } from "../targets/targets.store.ts";
import { addPrivileges, saveKeys, savePrivileges, saveSystem } from "./collected.store.ts";
import type { NewPrivilege } from "./collected.store.ts";

interface Reported {
  accounts: readonly ListedAccount[];
  collected?: Collected;
}

/** The maximum number of keys of one target. */
const MOST_KEYS = 50_000;

/** Call it after the accounts themselves are stored. */
export async function recordPrivileges(
  tx: Tx,
  { target, at }: { target: TargetRow; at: Date },
  { accounts, collected }: Reported,
): Promise<void> {
  const identity = (name: string) => identityOf(target.target_type, name).slice(0, 256);
  await savePrivileges(tx, target.id, privilegeRows(target, accounts));
  const { keys = [], system = {} } = collected ?? {};
  await saveKeys(
    tx,
    target.id,
    keys.slice(0, MOST_KEYS).map((key, position) => ({
      position,
      relation: key.relation,
      identity: key.account === null ? null : identity(key.account),
      fingerprint: key.fingerprint,
      key_type: key.type,
      place: key.place,
      comment: key.comment,
      options: key.options,
      is_encrypted: key.isEncrypted,
      read_by: key.readBy,
    })),
  );
  await saveSystem(tx, target.id, system, at);
}

/** Stores the privileges of the named accounts, and leaves those of all others, and keys, as they are. */
export async function recordPrivilegesOf(
  tx: Tx,
  { target }: { target: TargetRow },
  { accounts }: Reported,
  names: readonly string[],
): Promise<void> {
  const chosen = new Set(names);
  const rows = privilegeRows(
    target,
    accounts.filter(({ name }) => chosen.has(name)),
  );
  await addPrivileges(tx, target.id, rows);
}

function privilegeRows(target: TargetRow, accounts: readonly ListedAccount[]): NewPrivilege[] {
  const identity = (name: string) => identityOf(target.target_type, name).slice(0, 256);
  const privileges = new Map(accounts.map(({ name, privileges }) => [identity(name), privileges ?? []]));
  return [...privileges].flatMap(([owner, list]) =>
    list.map(({ kind, path, detail, becomes, needsPassword }, position) => ({
      identity: owner,
      position,
      kind,
      becomes: becomes === undefined ? null : identity(becomes),
      path,
      detail,
      needs_password: needsPassword,
      is_full: isFullControl(kind),
    })),
  );
}
