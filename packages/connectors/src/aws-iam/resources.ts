// Lists the names of secrets and parameters in the regions of an AWS account. It never asks for a value.
import type { CloudResourceKind, ScanCommand } from "@strongroom/contract";
import type { ListAttempt } from "../attempt.ts";
import { momentOfSeconds } from "../cloud-api/json.ts";
import type { ListedResource } from "../collected.ts";
import { listCommand } from "../finding.ts";
import type { AwsAccess } from "./access-key.ts";
import { callJson, type JsonCall } from "./json-call.ts";
import { NoAnswer } from "../http-over-stream.ts";

const MAX_PAGES = 200;
/** Of one kind in one region. */
const MAX_RESOURCES = 10_000;

export interface RegionalLists {
  resources: ListedResource[];
  complete: { kind: CloudResourceKind; region: string }[];
  commands: ScanCommand[];
}

/** Adds to `lists` as far as the attempt gets. A call that AWS refuses is one failed command. */
export async function listRegions(
  access: AwsAccess,
  attempt: ListAttempt,
  regions: readonly string[],
  lists: RegionalLists,
): Promise<void> {
  for (const region of regions) {
    attempt.waitFor(`AWS to list secrets and parameters in ${region}`);
    await add(lists, region, "secret", "secretsmanager:ListSecrets", () => secretsIn(access, attempt, region));
    await add(lists, region, "parameter", "ssm:DescribeParameters", () => parametersIn(access, attempt, region));
  }
}

interface Found {
  resources: ListedResource[];
  isComplete: boolean;
}

async function add(
  lists: RegionalLists,
  region: string,
  kind: "secret" | "parameter",
  command: string,
  list: () => Promise<Found>,
): Promise<void> {
  try {
    const { resources, isComplete } = await list();
    lists.resources.push(...resources);
    if (isComplete) lists.complete.push({ kind, region });
    lists.commands.push(listCommand(`${command} in ${region}`, resources.length, kind));
  } catch (error) {
    // Without a connection, the rest of the attempt has no chance either.
    if (error instanceof NoAnswer) throw error;
    lists.commands.push(listCommand(`${command} in ${region}`, null, kind));
  }
}

const secretsIn = (access: AwsAccess, attempt: ListAttempt, region: string): Promise<Found> =>
  pagesOf(
    access,
    attempt,
    { service: "secretsmanager", operation: "secretsmanager.ListSecrets", region, body: { MaxResults: 100 } },
    "SecretList",
    (entry) => ({
      kind: "secret",
      facts: {
        rotates: entry["RotationEnabled"] === true,
        rotatedAt: momentOfSeconds(entry["LastRotatedDate"]),
        changedAt: momentOfSeconds(entry["LastChangedDate"]),
        lastUsedAt: momentOfSeconds(entry["LastAccessedDate"]),
      },
    }),
  );

const parametersIn = (access: AwsAccess, attempt: ListAttempt, region: string): Promise<Found> =>
  pagesOf(
    access,
    attempt,
    { service: "ssm", operation: "AmazonSSM.DescribeParameters", region, body: { MaxResults: 50 } },
    "Parameters",
    (entry) => ({
      kind: "parameter",
      facts: { isEncrypted: entry["Type"] === "SecureString", changedAt: momentOfSeconds(entry["LastModifiedDate"]) },
    }),
  );

async function pagesOf(
  access: AwsAccess,
  attempt: ListAttempt,
  call: JsonCall,
  field: string,
  shown: (entry: Record<string, unknown>) => Pick<ListedResource, "kind" | "facts">,
): Promise<Found> {
  const found = new Map<string, ListedResource>();
  let token: string | null = null;
  for (let page = 0; page < MAX_PAGES && found.size < MAX_RESOURCES; page += 1) {
    const body: JsonCall["body"] = token === null ? call.body : { ...call.body, NextToken: token };
    const answer = await callJson(access, attempt, { ...call, body });
    const entries = answer[field];
    // INVARIANT: no other answer looks like an empty list, because what a complete list lacks counts as deleted.
    if (!Array.isArray(entries)) throw new Error("AWS did not send a list");
    for (const entry of entries as unknown[]) {
      const fields = entry !== null && typeof entry === "object" ? (entry as Record<string, unknown>) : {};
      const name = fields["Name"];
      if (typeof name !== "string" || !/^[\w/+=.@!-]{1,512}$/.test(name)) continue;
      found.set(name, { region: call.region, name, ...shown(fields) });
    }
    const next = answer["NextToken"];
    if (typeof next !== "string" || next === "") return { resources: [...found.values()], isComplete: true };
    token = next;
  }
  return { resources: [...found.values()].slice(0, MAX_RESOURCES), isComplete: false };
}
