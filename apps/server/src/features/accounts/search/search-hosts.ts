// Makes hosts available to the global search: the hosts of accounts that the user can see. A host has no row; it exists
// for a user as long as one of its accounts does.
import { createHash } from "node:crypto";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { fold } from "#features/secrets/index.ts";
import { conditionsOf } from "./find-accounts.ts";
import { orderOf } from "./account-order.ts";
import { findHostsByPrefix } from "./found-accounts.store.ts";
import type { HostFound } from "./found-accounts.store.ts";
import type { GrantsInForce } from "../shown-accounts.store.ts";

/** The number of accounts in the order of their hosts that a search considers. */
const CONSIDERED = 1_000;

export function searchableHosts(grantsInForce: GrantsInForce): Searchable {
  return {
    kind: "host",
    needs: "account.list",
    // The id does not lead back to the host, so hosts are not recent items.
    read: () => Promise.resolve([]),
    async find(db, actor, text) {
      const query = {
        actor,
        grantsInForce,
        conditions: conditionsOf({}),
        order: orderOf("hostname_ip"),
        limit: MOST_FOUND,
        after: null,
      };
      return (await findHostsByPrefix(db, query, fold(text), CONSIDERED)).map(hitOf);
    },
  };
}

function hitOf({ host, accounts }: HostFound): Hit {
  return {
    id: idOf(host),
    title: host,
    detail: accounts === 1 ? "1 account" : `${accounts} accounts`,
    by: [],
    can: [],
  };
}

/** A UUID of version 8 (RFC 9562 §5.8) from the name. */
function idOf(host: string): string {
  const hex = createHash("sha256").update(host).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
