// Lists the users of Redis, and which of them can change users and so gain every right.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListedAccount, ListFinding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { listedBy, rejected } from "../finding.ts";
import { failureOf, logIn, protocolError } from "./log-in.ts";
import { RedisError } from "./resp.ts";

export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const login = await logIn(target, password, current, MAX_LISTED_BYTES);
  if ("failure" in login) return login.failure;
  const { ask, endpoint, username } = login;
  current.waitFor(`${nameOf(endpoint)} to list its users`);
  try {
    const reply = await ask("ACL", "LIST");
    if (reply instanceof RedisError && reply.code === "NOPERM") {
      return rejected(
        "no-permission",
        `${username} has no permission to list the users of ${nameOf(endpoint)} (+acl|list).`,
      );
    }
    if (!Array.isArray(reply)) return protocolError(endpoint);
    const accounts = reply.map((line) => (typeof line === "string" ? toAccount(line) : null));
    return listedBy(
      "ACL LIST",
      accounts.filter((account) => account !== null),
      nameOf(endpoint),
    );
  } catch (error) {
    return failureOf(error, endpoint);
  } finally {
    login.close();
  }
}

/** `user name on #hash ~keys &channels +commands`: the hashes are dropped. */
export function toAccount(line: string): ListedAccount | null {
  const [word, name, ...rules] = line.split(" ");
  if (word !== "user" || name === undefined) return null;
  return {
    name,
    isPrivileged: maySetUsers(rules),
    isLocked: rules.includes("off"),
    passwordChangedAt: null,
    expiresAt: null,
    lastLoginAt: null,
    facts: {
      needsPassword: !rules.includes("nopass"),
      passwords: rules.filter((rule) => rule.startsWith("#")).length,
      commands: rules.filter((rule) => /^\(?[+-][@a-z|_-]+\)?$/.test(rule)).slice(0, 200),
    },
  };
}

/** Rules apply in order; a selector in brackets starts over and adds to the rest. */
function maySetUsers(rules: readonly string[]): boolean {
  let may = false;
  let isInAny = false;
  for (const rule of rules) {
    if (rule.startsWith("(")) {
      isInAny ||= may;
      may = false;
    }
    const command = rule.replaceAll(/[()]/g, "");
    if (GIVES.has(command)) may = true;
    if (TAKES.has(command)) may = false;
  }
  return may || isInAny;
}

/** Rules that grant or remove the command ACL SETUSER, by name or by category. */
const COMMANDS = ["@all", "@admin", "@dangerous", "@slow", "acl", "acl|setuser"];
const GIVES = new Set(["allcommands", ...COMMANDS.map((each) => `+${each}`)]);
const TAKES = new Set(["nocommands", ...COMMANDS.map((each) => `-${each}`)]);
