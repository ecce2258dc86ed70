// Reads which users may assume the roles of an AWS account, from the roles' trust policies.
import { ListRolesCommand, type IAMClient, type Role } from "@aws-sdk/client-iam";

export interface AssumableRole {
  name: string;
  /** Users that the trust policy names. */
  users: string[];
  /** Other principals: accounts, services and providers; at most 20. */
  others: string[];
}

const MAX_PAGES = 20;

/** Null when the key may not list roles. */
export async function assumableRoles(iam: IAMClient): Promise<AssumableRole[] | null> {
  const roles: Role[] = [];
  try {
    let marker: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await iam.send(
        new ListRolesCommand({ MaxItems: 1000, ...(marker === undefined ? {} : { Marker: marker }) }),
      );
      roles.push(...(answer.Roles ?? []));
      if (answer.IsTruncated !== true || answer.Marker === undefined) break;
      marker = answer.Marker;
    }
  } catch {
    // A key that can list users often cannot list roles.
    return null;
  }
  return roles.flatMap(({ RoleName: name = "", AssumeRolePolicyDocument: document = "" }) =>
    /^[\w+=,.@-]{1,64}$/.test(name) ? [{ name, ...principalsIn(document) }] : [],
  );
}

/** The principals that `Allow` statements of a URL-encoded trust policy name. Conditions are not evaluated. */
function principalsIn(document: string): { users: string[]; others: string[] } {
  const found: string[] = [];
  try {
    const policy = JSON.parse(decodeURIComponent(document)) as { Statement?: unknown };
    for (const statement of [policy.Statement ?? []].flat() as { Effect?: unknown; Principal?: unknown }[]) {
      if (statement?.Effect !== "Allow") continue;
      const { Principal: principal } = statement;
      const values = principal !== null && typeof principal === "object" ? Object.values(principal) : [principal];
      found.push(...values.flat().filter((each): each is string => typeof each === "string"));
    }
  } catch {
    // A policy that cannot be read names no principals.
  }
  const userOf = (arn: string) =>
    /^arn:aws[\w-]*:iam::\d{12}:user\/(?:[\w/+=,.@-]*\/)?([\w+=,.@-]{1,64})$/.exec(arn)?.[1];
  return {
    users: [...new Set(found.flatMap((arn) => userOf(arn) ?? []))],
    others: [...new Set(found.filter((arn) => userOf(arn) === undefined))].slice(0, 20).map((arn) => arn.slice(0, 256)),
  };
}
