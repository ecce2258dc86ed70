// The IAM users of an AWS account, and who of them is an administrator, as far as the key may see it.
import {
  GetGroupCommand,
  ListEntitiesForPolicyCommand,
  ListUsersCommand,
  type IAMClient,
  type User,
} from "@aws-sdk/client-iam";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { listed } from "../finding.ts";
import { placeOf } from "./access-key.ts";
import { failureOf } from "./answer.ts";
import { iamClient } from "./session.ts";

const ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess";
const MAX_PAGES = 100;
const MAX_GROUPS = 20;

export async function listUsers(target: Target, value: string, current: Attempt): Promise<ListFinding> {
  const place = placeOf(target, value);
  if ("failure" in place) return place.failure;
  const iam = iamClient(place, current);
  try {
    const users = await allUsers(iam);
    const administrators = await administratorsOf(iam);
    const finding = listed(
      users.flatMap((user) => shown(user, administrators)),
      "AWS IAM",
    );
    if (finding.outcome !== "listed" || administrators !== null) return finding;
    return { ...finding, message: `${finding.message} The key may not see who of them is an administrator.` };
  } catch (error) {
    return failureOf(error, place);
  }
}

async function allUsers(iam: IAMClient): Promise<User[]> {
  const users: User[] = [];
  let marker: string | undefined;
  for (let page = 0; page < MAX_PAGES && users.length <= MAX_LISTED_ACCOUNTS; page += 1) {
    const answer = await iam.send(
      new ListUsersCommand({ MaxItems: 1000, ...(marker === undefined ? {} : { Marker: marker }) }),
    );
    users.push(...(answer.Users ?? []));
    if (answer.IsTruncated !== true || answer.Marker === undefined) break;
    marker = answer.Marker;
  }
  return users;
}

/** Users with AWS's own policy for administrators, directly or by a group. Null when the key may not ask. */
async function administratorsOf(iam: IAMClient): Promise<ReadonlySet<string> | null> {
  try {
    const { PolicyUsers = [], PolicyGroups = [] } = await iam.send(
      new ListEntitiesForPolicyCommand({ PolicyArn: ADMINISTRATOR, MaxItems: 1000 }),
    );
    const names = PolicyUsers.map(({ UserName = "" }) => UserName);
    for (const { GroupName } of PolicyGroups.slice(0, MAX_GROUPS)) {
      const { Users = [] } = await iam.send(new GetGroupCommand({ GroupName, MaxItems: 1000 }));
      names.push(...Users.map(({ UserName = "" }) => UserName));
    }
    return new Set(names);
  } catch {
    // Who may list users often may not look at policies.
    return null;
  }
}

function shown(user: User, administrators: ReadonlySet<string> | null): ListedAccount[] {
  const { UserName: name = "", Path: path = "/" } = user;
  if (!/^[\w+=,.@-]{1,64}$/.test(name)) return [];
  return [
    {
      name,
      isPrivileged: administrators?.has(name) === true,
      isLocked: false,
      passwordChangedAt: null,
      expiresAt: null,
      lastLoginAt: timeOf(user.PasswordLastUsed),
      facts: { createdAt: timeOf(user.CreateDate), ...(/^[\w/+=,.@-]{1,512}$/.test(path) ? { path } : {}) },
    },
  ];
}

function timeOf(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
