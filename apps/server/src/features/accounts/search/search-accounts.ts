// Makes accounts available to the global search: accounts whose names begin with the text come first, then the matches of the
// account list.
import { SEARCHED_DETAIL_NAMES } from "@strongroom/contract";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { permissionsOn } from "../accounts.policy.ts";
import { accountAccessOf } from "../accounts.ts";
import { findIds } from "./find-accounts.ts";
import { showAccounts } from "../shown-accounts.store.ts";
import type { GrantsInForce, ShownRow } from "../shown-accounts.store.ts";

export function searchableAccounts(grantsInForce: GrantsInForce): Searchable {
  const read: Searchable["read"] = async (db, actor, ids) =>
    (await showAccounts(db, actor, ids, grantsInForce)).map(hitOf);
  return {
    kind: "account",
    needs: "account.list",
    read,
    find: async (db, actor, text) => read(db, actor, await findIds(db, actor, text, MOST_FOUND, grantsInForce)),
  };
}

function hitOf(row: ShownRow): Hit {
  const where = row.host === "" ? row.username : `${row.username} at ${row.host}`;
  return {
    id: row.id,
    title: row.name,
    detail: `${where}, in ${row.safe_name}`,
    by: [row.host, row.username, row.safe_name, ...SEARCHED_DETAIL_NAMES.map((name) => row[name])],
    can: actionsOn(row),
  };
}

/** The same actions as on the account's own page. */
function actionsOn(row: ShownRow): Hit["can"] {
  const permissions = permissionsOn(accountAccessOf(row));
  const isActive = row.status === "active";
  const mayRetrieve = isActive && permissions.includes("retrieve");
  const mayConnect = isActive && row.connection_method === "SSH" && permissions.includes("use");
  return [
    ...(mayRetrieve ? (["copy"] as const) : []),
    ...(mayConnect ? (["connect"] as const) : []),
    ...(permissions.includes("manage_secret") ? (["verify", "rotate"] as const) : []),
    ...(isActive && !mayRetrieve ? (["request"] as const) : []),
  ];
}
