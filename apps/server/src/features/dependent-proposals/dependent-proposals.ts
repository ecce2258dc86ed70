// Proposes dependents of an account from what scans found, before its password changes.
import type { AccountId, FindingId, ProposedDependent, listProposedDependents } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { AccountsFeature } from "#features/accounts/index.ts";
import { accountsOfSameLogin, filesWithPassword, loginsTrusting, usesOf } from "./dependent-proposals.store.ts";
import type { FileRow, SameLoginRow, TrustingRow, UseRow } from "./dependent-proposals.store.ts";

export type ProposalAccounts = Pick<AccountsFeature, "requireSecret">;

const DIRECTORIES = ["active-directory", "ldap", "ldaps"];
/** Windows stores the password with these; units and jobs of Linux run without it. */
const WITH_PASSWORD = new Set(["service", "scheduled-task", "application-pool"]);

/**
 * INVARIANT: only for users who may retrieve the account's password: the list tells in which files it is and which accounts
 * share it. Each place is one that the user's own targets and safes show.
 */
export async function proposeDependents(
  accounts: ProposalAccounts,
  call: Call<typeof listProposedDependents>,
  db: Db,
): Promise<{ proposed: ProposedDependent[] }> {
  const of = { actor: call.actor, accountId: call.params.id };
  await accounts.requireSecret(db, of.actor, of.accountId, "update_properties", "manage_secret");
  const files = (await filesWithPassword(db, of)).map((row) => fileProposal(row, of.accountId));
  const trusting = (await loginsTrusting(db, of)).map(keyProposal);
  const same = (await accountsOfSameLogin(db, of)).map(accountProposal);
  const uses = (await usesOf(db, of, DIRECTORIES)).map(useProposal);
  const rank = ({ config, holds_password: holdsPassword }: ProposedDependent) =>
    config !== null ? 0 : holdsPassword ? 1 : 2;
  return { proposed: [...files, ...trusting, ...same, ...uses].toSorted((a, b) => rank(a) - rank(b)) };
}

function fileProposal(row: FileRow, accountId: string): ProposedDependent {
  const via = row.via_account_id === accountId ? null : row.via_account_id;
  return {
    kind: "file",
    name: row.path,
    place: row.hostname,
    detail: `Line ${row.line}, mode ${row.file_mode}`,
    holds_password: true,
    config: via === null ? null : { kind: "file-value", via_account_id: via as AccountId, path: row.path },
    obstacle:
      via === null
        ? "Scans log in to this host with this account, or with one whose password you may not retrieve. Choose another credential for the target."
        : null,
    finding_id: row.finding_id as FindingId,
  };
}

const keyProposal = ({
  hostname,
  port,
  account_name: username,
  place,
  options,
  host_key,
}: TrustingRow): ProposedDependent => ({
  kind: "authorized-key",
  name: username,
  place: hostname,
  detail: options.length === 0 ? place : `${place}, ${options.join(",")}`.slice(0, 200),
  holds_password: true,
  config: { kind: "authorized-key", host: hostname, port, username, host_key },
  obstacle: null,
  finding_id: null,
});

const accountProposal = ({ id, name, host, safe_name: safe }: SameLoginRow): ProposedDependent => ({
  kind: "account",
  name,
  place: host,
  detail: `The same login, in the safe ${safe}`,
  holds_password: true,
  config: { kind: "account", account_id: id as AccountId },
  obstacle: null,
  finding_id: null,
});

function useProposal({ kind, name, detail, hostname, target_type: targetType }: UseRow): ProposedDependent {
  const isLinked = kind === "linked-server";
  const holdsPassword = isLinked || (targetType === "windows" && WITH_PASSWORD.has(kind));
  const where = isLinked ? "in the other database" : "on Windows";
  return {
    kind,
    name,
    place: hostname,
    detail,
    holds_password: holdsPassword,
    config: null,
    obstacle: holdsPassword
      ? `Strongroom cannot change it ${where}. Add a webhook that does, or change it by hand right after the rotation.`
      : null,
    finding_id: null,
  };
}
