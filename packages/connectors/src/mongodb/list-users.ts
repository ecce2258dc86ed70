// Lists the users of a MongoDB server, in every database that the login can see.
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { listedBy, misconfigured } from "../finding.ts";
import { loginFailure, openSession } from "./session.ts";
import { ServerError } from "./wire.ts";

/** Roles that can do everything, or can grant themselves such a role. */
const PRIVILEGED = ["root", "__system", "userAdminAnyDatabase", "restore"];
const PRIVILEGED_IN_ADMIN = ["userAdmin", "dbOwner"];

export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const session = await openSession(target, { username: target.username, password }, current, MAX_LISTED_BYTES);
  if ("failure" in session) return session.failure;
  const { address, authSource, run, close } = session;
  try {
    let isEverywhere = true;
    const everywhere = run({ usersInfo: { forAllDBs: true } });
    // A login without access to all databases may see this one.
    const { users } = await everywhere.catch((error: unknown) => {
      if (!(error instanceof ServerError) || error.code !== 13) throw error;
      isEverywhere = false;
      return run({ usersInfo: 1 });
    });
    // An empty list instead would mean that all users were deleted.
    if (!Array.isArray(users)) return misconfigured("protocol-error", `${nameOf(address)} did not list its users.`);
    const found = (users as unknown[]).slice(0, MAX_LISTED_ACCOUNTS + 1);
    const finding = listedBy(
      "usersInfo",
      found.flatMap((user) => shown(user, authSource)),
      nameOf(address),
    );
    return { ...finding, isComplete: finding.isComplete && isEverywhere };
  } catch (error) {
    return loginFailure(error, address);
  } finally {
    close();
  }
}

function shown(value: unknown, authSource: string): ListedAccount[] {
  if (value === null || typeof value !== "object") return [];
  const { user, db, roles, mechanisms } = value as Record<"user" | "db" | "roles" | "mechanisms", unknown>;
  if (typeof user !== "string" || typeof db !== "string" || user === "" || user.length > 256) return [];
  const held = Array.isArray(roles) ? (roles as { role?: unknown; db?: unknown }[]).slice(0, 100) : [];
  const mighty = held.filter(
    ({ role, db }) =>
      PRIVILEGED.includes(String(role)) || (db === "admin" && PRIVILEGED_IN_ADMIN.includes(String(role))),
  );
  const nameOf = ({ role, db }: { role?: unknown; db?: unknown }) =>
    `${String(db).slice(0, 64)}.${String(role).slice(0, 64)}`;
  return [
    {
      // The same name in a different database is a different user.
      name: db === authSource ? user : `${db}.${user}`,
      isPrivileged: mighty.length > 0,
      isLocked: false,
      passwordChangedAt: null,
      expiresAt: null,
      lastLoginAt: null,
      facts: {
        database: db.slice(0, 64),
        roles: held.map(nameOf),
        mechanisms: Array.isArray(mechanisms) ? mechanisms.slice(0, 5).map((each) => String(each).slice(0, 32)) : null,
      },
      privileges: mighty.map((each) => ({
        kind: ["root", "__system"].includes(String(each.role)) ? "superuser" : "escalation",
        path: [nameOf(each)],
        detail: [],
        needsPassword: false,
      })),
    },
  ];
}
