// Reads the projects of Google Cloud: service accounts with their keys, roles with their members, names of secrets.
import type { ScanCommand } from "@strongroom/contract";
import { readList, tryList, type ApiList } from "../cloud-api/api-lists.ts";
import { momentOf, objectOf, objectsIn, textOf, type Json } from "../cloud-api/json.ts";
import { inParallel } from "../file-search.ts";
import { isEmail, isKeyId, isProjectId, type GoogleAccess } from "./google-access.ts";
import type { GoogleSession } from "./google-session.ts";

interface AccountKey {
  id: string;
  createdAt: string | null;
  expiresAt: string | null;
  isActive: boolean;
  /** Within the period that Google keeps, about 90 days. Null if unused or unknown. */
  lastUsedAt: string | null;
}

export interface ServiceAccount {
  email: string;
  displayName: string;
  isEnabled: boolean;
  /** Null if they could not be listed. */
  keys: AccountKey[] | null;
}

interface Binding {
  role: string;
  /** Such as `user:ada@example.com`. */
  members: string[];
  /** It holds only under a condition, such as until a date. */
  isConditional: boolean;
}

interface CloudSecret {
  name: string;
  createdAt: string | null;
  rotatesAt: string | null;
  expiresAt: string | null;
}

/** The parts of a project; null if Google has not answered or refused. */
export interface Project {
  id: string;
  accounts: { list: ServiceAccount[]; isComplete: boolean } | null;
  bindings: Binding[] | null;
  secrets: { list: CloudSecret[]; isComplete: boolean } | null;
}

export interface ProjectReader {
  session: GoogleSession;
  access: GoogleAccess;
  commands: ScanCommand[];
  onAccounts: (count: number) => void;
}

const MAX_PROJECTS = 200;
const IN_FLIGHT = 8;

/** The active projects that the key can see, its own first. */
export async function listProjects(reader: ProjectReader): Promise<{ ids: string[]; isComplete: boolean }> {
  const { access } = reader;
  const url = `${access.resourceManager}/v3/projects:search?pageSize=500`;
  const list = await googleList(reader, { url, field: "projects", command: "projects", noun: "project" });
  const seen = (list?.entries ?? [])
    .filter(({ state }) => state === undefined || state === "ACTIVE")
    .map(({ projectId }) => projectId)
    .filter(isProjectId);
  const ids = [...new Set([access.key.project, ...seen])];
  const isComplete = list?.isComplete === true && ids.length <= MAX_PROJECTS;
  return { ids: ids.slice(0, MAX_PROJECTS), isComplete };
}

/** Fills `project` as far as the attempt gets. */
export async function readProject(reader: ProjectReader, project: Project): Promise<void> {
  const { access, onAccounts } = reader;
  const { id } = project;
  const accounts = await googleList(reader, {
    url: `${access.iam}/v1/projects/${id}/serviceAccounts?pageSize=100`,
    field: "accounts",
    command: `service accounts of ${id}`,
    noun: "service account",
  });
  if (accounts !== null) {
    const list = accounts.entries.flatMap(accountOf);
    project.accounts = { list, isComplete: accounts.isComplete };
    onAccounts(list.length);
    await addKeys(reader, id, list);
  }
  project.bindings = await bindingsOf(reader, id);
  const secrets = await googleList(reader, {
    url: `${access.secretManager}/v1/projects/${id}/secrets?pageSize=250`,
    field: "secrets",
    command: `names of secrets of ${id}`,
    noun: "secret",
  });
  project.secrets = secrets && { list: secrets.entries.flatMap(secretOf), isComplete: secrets.isComplete };
}

function googleList(
  { session, commands }: ProjectReader,
  { url, field, command, noun }: { url: string; field: string; command: string; noun: string },
): Promise<ApiList | null> {
  const next = ({ nextPageToken: page }: Json) => {
    if (typeof page !== "string" || page === "") return null;
    const following = new URL(url);
    following.searchParams.set("pageToken", page);
    return following.href;
  };
  return tryList(commands, { command: `google: ${command}`, noun }, () =>
    readList(session.api, { url, token: session.token, field, mayLackField: true, next }),
  );
}

const accountOf = ({ email, displayName, disabled }: Json): ServiceAccount[] =>
  isEmail(email) ? [{ email, displayName: textOf(displayName), isEnabled: disabled !== true, keys: null }] : [];

/** Keys that users made; Google's own never leave it. */
async function addKeys(reader: ProjectReader, project: string, accounts: readonly ServiceAccount[]): Promise<void> {
  const { access, session, commands } = reader;
  const used = await lastUses(reader, project);
  let count = 0;
  let failed = 0;
  await inParallel(accounts, IN_FLIGHT, async (account) => {
    const url = `${access.iam}/v1/projects/-/serviceAccounts/${encodeURIComponent(account.email)}/keys?keyTypes=USER_MANAGED`;
    const list = await tryList([], { command: url, noun: "key" }, async () => ({
      entries: objectsIn((await session.api.ask({ url, token: session.token }))["keys"]),
    }));
    if (list === null) failed += 1;
    else account.keys = list.entries.flatMap((entry) => keyOf(entry, used));
    count += account.keys?.length ?? 0;
  });
  commands.push({
    command: `google: keys of the service accounts of ${project}`,
    success: failed === 0,
    exitCode: null,
    output: `${count.toLocaleString("en")} ${count === 1 ? "key" : "keys"}`,
    error: failed === 0 ? "" : `The keys of ${failed} service accounts could not be listed.`,
  });
}

function keyOf(entry: Json, used: ReadonlyMap<string, string>): AccountKey[] {
  const id = textOf(entry["name"]).split("/").at(-1);
  if (!isKeyId(id)) return [];
  const expiresAt = momentOf(entry["validBeforeTime"]);
  return [
    {
      id,
      createdAt: momentOf(entry["validAfterTime"]),
      // Keys without an end are valid until the year 9999.
      expiresAt: expiresAt?.startsWith("9999") === true ? null : expiresAt,
      isActive: entry["disabled"] !== true,
      lastUsedAt: used.get(id) ?? null,
    },
  ];
}

/** The last use of keys by their ID. Empty without the permission or the Policy Analyzer API. */
async function lastUses(reader: ProjectReader, project: string): Promise<ReadonlyMap<string, string>> {
  const activity = "serviceAccountKeyLastAuthentication";
  const list = await googleList(reader, {
    url: `${reader.access.policyAnalyzer}/v1/projects/${project}/locations/global/activityTypes/${activity}/activities:query?pageSize=1000`,
    field: "activities",
    command: `last uses of keys of ${project}`,
    noun: "use",
  });
  return new Map(
    (list?.entries ?? []).flatMap((entry) => {
      const id = textOf(entry["fullResourceName"]).split("/").at(-1) ?? "";
      const at = momentOf(objectOf(entry["activity"])["lastAuthenticatedTime"]);
      return at === null ? [] : [[id, at] as const];
    }),
  );
}

/** Null when the key may not read the project's policy. */
async function bindingsOf({ session, access, commands }: ProjectReader, project: string): Promise<Binding[] | null> {
  const url = `${access.resourceManager}/v1/projects/${project}:getIamPolicy`;
  const body = { options: { requestedPolicyVersion: 3 } };
  const list = await tryList(commands, { command: `google: roles of ${project}`, noun: "role" }, async () => ({
    entries: objectsIn((await session.api.ask({ url, method: "POST", token: session.token, body }))["bindings"]),
  }));
  return (
    list?.entries.map(({ role, members, condition }) => ({
      role: textOf(role),
      members: Array.isArray(members) ? (members as unknown[]).map(textOf) : [],
      isConditional: condition !== undefined,
    })) ?? null
  );
}

function secretOf(entry: Json): CloudSecret[] {
  const name = /\/secrets\/([\w-]{1,255})$/.exec(textOf(entry["name"]))?.[1];
  if (name === undefined) return [];
  return [
    {
      name,
      createdAt: momentOf(entry["createTime"]),
      rotatesAt: momentOf(objectOf(entry["rotation"])["nextRotationTime"]),
      expiresAt: momentOf(entry["expireTime"]),
    },
  ];
}
