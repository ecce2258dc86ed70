// Lists the local accounts of a Windows host: administrators, and the services, tasks and pools that run as them.
import type { ScanCommand } from "@strongroom/contract";
import type { Attempt } from "../attempt.ts";
import type { ListedAccount, ListedDependent, ListFinding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { listCommand, listed, rejected, unreachable } from "../finding.ts";
import { runScript } from "./run-script.ts";
import { LIST_ACCOUNTS } from "./scripts.ts";
import { serviceOf } from "./session.ts";

const MAX_OUTPUT = 16 * 1024 * 1024;

/** One object of a list; see the script for the letters. */
interface Row {
  /** The name. */
  n: string;
  /** The account that it runs as. */
  u: string;
  sid: string | null;
  isDisabled: boolean;
  state: string | null;
  changedAt: string | null;
  expiresAt: string | null;
  lastLoginAt: string | null;
  passwordExpiresAt: string | null;
}

type Part = "a" | "m" | "s" | "t" | "i";

interface Reported extends Record<Part, Row[] | null> {
  host: string;
}

const MAX_ROWS = 20_000;
const MAX_DOMAIN_USES = 500;
const textIn = (value: unknown) => (typeof value === "string" ? value.slice(0, 256) : null);
const momentIn = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) ? value : null;

/** Null for a part that failed. Rows without a name are left out. */
function rowsIn(value: unknown): Row[] | null {
  if (!Array.isArray(value)) return null;
  return value.slice(0, MAX_ROWS).flatMap((each: unknown) => {
    if (each === null || typeof each !== "object") return [];
    const fields = each as Record<string, unknown>;
    const n = textIn(fields["n"]);
    if (n === null || n === "") return [];
    return [
      {
        n,
        u: textIn(fields["u"]) ?? "",
        sid: textIn(fields["s"]),
        isDisabled: fields["e"] === false,
        state: textIn(fields["w"]),
        changedAt: momentIn(fields["p"]),
        expiresAt: momentIn(fields["x"]),
        lastLoginAt: momentIn(fields["l"]),
        passwordExpiresAt: momentIn(fields["q"]),
      },
    ];
  });
}

/**
 * Facts: `sid`, `isDisabled`, `passwordExpiresAt`. Facts of the system: `administrators` that are not local accounts, and
 * `domainUses`, the services, tasks and pools that run as accounts of a domain.
 */
export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const service = serviceOf(target, { username: target.username, password });
  if ("failure" in service) return service.failure;
  const where = nameOf(service.endpoint);
  current.waitFor(`${where} to list its accounts`);
  const output = { text: "", maxLength: MAX_OUTPUT };
  const ran = await runScript(service, LIST_ACCOUNTS, { name: service.username }, current, { output });
  if (typeof ran !== "string") return ran.failure;
  if (ran === "80070005")
    return rejected("no-permission", `${where} does not show its accounts to ${service.username}.`);
  const reported = reportIn(output.text);
  if (reported === null || reported.a === null || reported.a.length === 0) {
    return unreachable("server-error", `${where} did not list its accounts (${ran}).`);
  }
  const isLocal = (name: string) => localName(name, reported.host);
  const administrators = (reported.m ?? []).flatMap(({ n }) => isLocal(n) ?? []);
  const dependents = dependentsOf(reported, isLocal);
  const finding = listed(
    reported.a.map((row) => accountOf(row, new Set(administrators.map((name) => name.toLowerCase())), dependents)),
    where,
  );
  const others = (reported.m ?? []).filter(({ n }) => isLocal(n) === null).map(({ n }) => n);
  return {
    ...finding,
    collected: {
      keys: [],
      system: { administrators: others.slice(0, 100), domainUses: domainUsesIn(reported).slice(0, MAX_DOMAIN_USES) },
    },
    commands: commandsOf(reported),
  };
}

function reportIn(output: string): Reported | null {
  const [, bytes] = /^LIST ([A-Za-z0-9+/=]+)\r?$/m.exec(output) ?? [];
  try {
    const report = JSON.parse(Buffer.from(bytes ?? "", "base64").toString("utf8")) as Record<string, unknown>;
    const of = (part: Part) => rowsIn(report[part]);
    return { host: textIn(report["h"]) ?? "", a: of("a"), m: of("m"), s: of("s"), t: of("t"), i: of("i") };
  } catch {
    // Every defect of the answer gets the same failure.
    return null;
  }
}

/** The name without the host, or null for an account of a domain. Local names have no prefix, `.` or the host's name. */
function localName(name: string, host: string): string | null {
  const [, prefix = "", own = ""] = /^(?:([^\\]*)\\)?([^\\]*)$/.exec(name) ?? [];
  const isLocal = prefix === "" || prefix === "." || prefix.toLowerCase() === host.toLowerCase();
  return isLocal && own !== "" ? own : null;
}

function accountOf(
  row: Row,
  administrators: ReadonlySet<string>,
  dependents: Map<string, ListedDependent[]>,
): ListedAccount {
  const name = row.n;
  const isBuiltIn = row.sid?.endsWith("-500") === true;
  const isAdministrator = isBuiltIn || administrators.has(name.toLowerCase());
  const path = [isBuiltIn && !administrators.has(name.toLowerCase()) ? "built-in administrator" : "Administrators"];
  return {
    name,
    isPrivileged: isAdministrator,
    isLocked: row.isDisabled,
    passwordChangedAt: row.changedAt,
    expiresAt: row.expiresAt,
    lastLoginAt: row.lastLoginAt,
    facts: { sid: row.sid, isDisabled: row.isDisabled, passwordExpiresAt: row.passwordExpiresAt },
    privileges: isAdministrator ? [{ kind: "local-admin", path, detail: [], needsPassword: null }] : [],
    dependents: (dependents.get(name.toLowerCase()) ?? []).slice(0, 100),
  };
}

/** Everything that the host runs as a named account, with that account as the host writes it. */
function usesIn(reported: Reported): (ListedDependent & { account: string })[] {
  const kinds = [
    ["s", "service"],
    ["t", "scheduled-task"],
    ["i", "application-pool"],
  ] as const;
  return kinds.flatMap(([part, kind]) =>
    (reported[part] ?? []).map(({ n, u, state }) => ({ kind, name: n, detail: state, account: u })),
  );
}

function dependentsOf(reported: Reported, isLocal: (name: string) => string | null): Map<string, ListedDependent[]> {
  const found = new Map<string, ListedDependent[]>();
  for (const { account, ...dependent } of usesIn(reported)) {
    const name = isLocal(account)?.toLowerCase();
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), dependent]);
  }
  return found;
}

/** Authorities of Windows itself: their accounts have no password. */
const BUILT_IN = /^(nt authority|nt service|iis apppool|window manager|font driver host|builtin)\\/i;

const isOfDomain = (account: string, host: string): boolean =>
  account.includes("\\") ? localName(account, host) === null && !BUILT_IN.test(account) : account.includes("@");

/** Without group-managed accounts (names that end with `$`): Windows changes their passwords. */
const domainUsesIn = (reported: Reported): (ListedDependent & { account: string })[] =>
  usesIn(reported).filter(({ account }) => isOfDomain(account, reported.host) && !account.endsWith("$"));

function commandsOf(reported: Reported): ScanCommand[] {
  const parts: [string, readonly unknown[] | null][] = [
    ["Get-LocalUser", reported.a],
    ["Get-LocalGroupMember Administrators", reported.m],
    ["Get-CimInstance Win32_Service", reported.s],
    ["Get-ScheduledTask", reported.t],
    ["ls IIS:\\AppPools", reported.i],
  ];
  const problem = "The command failed or its module is not installed.";
  return parts.map(([command, rows]) => listCommand(command, rows?.length ?? null, "item", problem));
}
