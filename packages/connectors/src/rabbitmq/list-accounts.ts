// Lists the users of RabbitMQ, as an administrator sees them.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { listedBy, misconfigured } from "../finding.ts";
import { jsonOf, managementOf, memberOf, tagsOf } from "./management.ts";
import { verifyLogin } from "./verify-login.ts";

export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const login = await verifyLogin({ ...target, databaseName: null }, password, current);
  if (login.outcome !== "verified") return login;
  const management = managementOf(target, password, current);
  if ("failure" in management) return management.failure;
  const answer = await management.ask("GET", "/api/users", { maxReceivedBytes: MAX_LISTED_BYTES });
  if ("failure" in answer) return answer.failure;
  if (answer.status !== 200) return management.failureOf(answer.status);
  const users = jsonOf(answer.body);
  if (!Array.isArray(users)) {
    return misconfigured("protocol-error", `The user list of ${management.where} is not in RabbitMQ's format.`);
  }
  return listedBy("GET /api/users", users.slice(0, MAX_LISTED_ACCOUNTS + 1).map(toAccount), management.where);
}

/** Drops the hash. */
function toAccount(user: unknown): ListedAccount {
  const tags = tagsOf(user);
  const hasPassword = memberOf(user, "password_hash") !== "";
  return {
    name: String(memberOf(user, "name")),
    isPrivileged: tags.includes("administrator"),
    isLocked: !hasPassword,
    passwordChangedAt: null,
    expiresAt: null,
    lastLoginAt: null,
    facts: { tags: tags.slice(0, 100), hasPassword },
  };
}
