// Reads the subscriptions of a tenant: assignments of roles, and the names of the secrets in key vaults.
import type { ScanCommand } from "@strongroom/contract";
import { readList, sameOrigin, tryList, type ApiList } from "../cloud-api/api-lists.ts";
import { momentOfSeconds, objectOf, textOf, type Json } from "../cloud-api/json.ts";
import type { ListedResource } from "../collected.ts";
import { vaultOrigin, type AzureAccess } from "./azure-access.ts";
import type { AzureSession } from "./azure-session.ts";
import type { Assignment } from "./directory.ts";

export interface SubscriptionsReader {
  session: AzureSession;
  access: AzureAccess;
  commands: ScanCommand[];
}

export interface Subscriptions {
  assignments: Assignment[];
  secrets: ListedResource[];
  /** Regions whose secrets were all listed. */
  completeRegions: string[];
}

const MAX_SUBSCRIPTIONS = 200;
const MAX_VAULTS = 500;

/** Adds to `found` as far as the attempt gets. */
export async function readSubscriptions(reader: SubscriptionsReader, found: Subscriptions): Promise<void> {
  const listed = await managementList(reader, "subscriptions?api-version=2022-12-01", "subscriptions", "subscription");
  const vaults: Vault[] = [];
  let areVaultsKnown = listed !== null;
  for (const entry of listed?.entries.slice(0, MAX_SUBSCRIPTIONS) ?? []) {
    const id = textOf(entry["subscriptionId"]);
    if (!/^[0-9a-f-]{36}$/i.test(id)) continue;
    const name = textOf(entry["displayName"]) || id;
    const roles = await managementList(
      reader,
      `subscriptions/${id}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01`,
      `role assignments of ${name}`,
      "assignment",
    );
    found.assignments.push(...(roles?.entries.map((each) => assignmentOf(each, name)) ?? []));
    const held = await managementList(
      reader,
      `subscriptions/${id}/providers/Microsoft.KeyVault/vaults?api-version=2023-07-01`,
      `key vaults of ${name}`,
      "key vault",
    );
    if (held === null) areVaultsKnown = false;
    vaults.push(...(held?.entries.map((vault) => vaultOf(vault, reader.access)) ?? []));
  }
  const incomplete = new Set<string>();
  for (const { name, region, origin } of vaults.slice(0, MAX_VAULTS)) {
    const list = origin === null ? null : await secretsOf(reader, name, origin);
    if (list?.isComplete !== true) incomplete.add(region);
    found.secrets.push(...(list?.entries.flatMap((secret) => secretIn(secret, name, region)) ?? []));
  }
  if (!areVaultsKnown || vaults.length > MAX_VAULTS) return;
  const regions = new Set(vaults.map(({ region }) => region));
  found.completeRegions.push(...[...regions].filter((region) => !incomplete.has(region)));
}

async function managementList(
  { session, access, commands }: SubscriptionsReader,
  path: string,
  command: string,
  noun: string,
): Promise<ApiList | null> {
  const url = `${access.management}/${path}`;
  const next = (answer: Json) => sameOrigin(answer["nextLink"], url);
  return tryList(commands, { command: `management: ${command}`, noun }, async () =>
    readList(session.api, { url, token: await session.tokenFor(access.management), field: "value", next }),
  );
}

async function secretsOf(reader: SubscriptionsReader, vault: string, origin: string): Promise<ApiList | null> {
  const { session, access, commands } = reader;
  const url = `${origin}/secrets?api-version=7.4&maxresults=25`;
  const next = (answer: Json) => sameOrigin(answer["nextLink"], url);
  return tryList(commands, { command: `key vault ${vault}: names of secrets`, noun: "secret" }, async () =>
    readList(session.api, { url, token: await session.tokenFor(access.vault), field: "value", next }),
  );
}

/** Roles by the last part of their definition's ID. They cover a whole subscription or management group only. */
function assignmentOf(entry: Json, subscription: string): Assignment {
  const { principalId, roleDefinitionId, scope } = objectOf(entry["properties"]);
  const isEverywhere = /^\/(subscriptions\/[^/]+|providers\/Microsoft\.Management\/managementGroups\/[^/]+)?$/i.test(
    textOf(scope),
  );
  const roleId = textOf(roleDefinitionId).split("/").at(-1) ?? "";
  return { principalId: textOf(principalId), roleId, roleName: `the subscription ${subscription}`, isEverywhere };
}

interface Vault {
  name: string;
  region: string;
  /** Null if its address is not one of the cloud. */
  origin: string | null;
}

function vaultOf(vault: Json, access: AzureAccess): Vault {
  const region = textOf(vault["location"]).toLowerCase();
  return {
    name: textOf(vault["name"]),
    region: /^[a-z0-9-]{1,40}$/.test(region) ? region : "global",
    origin: vaultOrigin(access, objectOf(vault["properties"])["vaultUri"]),
  };
}

function secretIn(secret: Json, vault: string, region: string): ListedResource[] {
  const name = /\/secrets\/([\w-]{1,127})$/.exec(textOf(secret["id"]))?.[1];
  if (name === undefined) return [];
  const attributes = objectOf(secret["attributes"]);
  return [
    {
      kind: "secret",
      region,
      name: `${vault}/${name}`,
      facts: {
        isEnabled: attributes["enabled"] !== false,
        createdAt: momentOfSeconds(attributes["created"]),
        changedAt: momentOfSeconds(attributes["updated"]),
        expiresAt: momentOfSeconds(attributes["exp"]),
      },
    },
  ];
}
