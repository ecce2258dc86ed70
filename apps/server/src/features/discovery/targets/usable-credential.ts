// Checks that a user may have an account's secret sent to a host of their choice.
import { connectorFor, destinationHost } from "@strongroom/connectors";
import { isCloud, type DiscoveryTargetType } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { targetNotFound } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { obstacleToScan } from "../discovery.policy.ts";
import { readCredential, targetOf } from "../scans/credential.ts";
import type { CredentialRow } from "../scans/credential.ts";

/**
 * INVARIANT: a user can have a secret sent to a host of their choice only if they may retrieve it without approval.
 * Throws 404 for an account that the user cannot see.
 */
export async function usableCredential(
  { accounts }: Pick<DiscoveryContext, "accounts" | "kernel">,
  db: Db,
  actor: Actor,
  id: string,
  { targetType }: { targetType: DiscoveryTargetType },
): Promise<CredentialRow> {
  await accounts.requireSecret(db, actor, id);
  const row = await readCredential(db, id);
  if (row === null) throw targetNotFound();
  const there = targetOf(row, { hostname: SOME_HOST, port: 1, host_key: null });
  // The API of a cloud has one address for all accounts.
  const hasOwnHost = isCloud(targetType) || destinationHost(there) === SOME_HOST;
  const obstacle = obstacleToScan(targetType, connectorFor(there)) ?? (hasOwnHost ? null : FIXED_HOST);
  if (obstacle === null) return row;
  throw refuse(422, "discovery.credential-unsuitable", obstacle, {
    errors: [{ path: "credentialId", msg: obstacle }],
  });
}

const SOME_HOST = "scanned.invalid";
const FIXED_HOST = "The credential's settings name a fixed host. Choose a credential that logs in to its own host.";
