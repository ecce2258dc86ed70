// Decides how risky a finding is, when it is due, which status may follow, and which rule suppresses it.
import { placeName, placeOf, severityOfRisk } from "@strongroom/contract";
import type { FindingLiveness, FindingSeverity, FindingStatus } from "@strongroom/contract";

export interface RiskFactor {
  factor: string;
  points: number;
}

/** The facts of the formula in docs/scanning.md. */
export interface RiskFacts {
  class: string;
  path: string;
  /** From 0 to 1. */
  confidence: number;
  /** Octal digits. */
  fileMode: string;
  liveness: FindingLiveness;
  username: string | null;
  /** A safe contains an account with the same secret. */
  isOfAccount: boolean;
  /** The number of targets with the same secret. */
  targets: number;
  modifiedAt: Date;
}

const BASE: Readonly<Record<string, number>> = {
  known_secret: 60,
  private_key: 55,
  api_token: 50,
  weak_password: 50,
  password: 45,
  encryption_key: 45,
  shared_key: 45,
  service_login: 40,
  certificate: 40,
  password_hash: 30,
  host_key: 20,
};
const BASE_OF_OTHERS = 40;
const PRIVILEGED = /^(?:root|admin(?:istrator)?|sa|sys|system|postgres|mysql|oracle|dba|sudo)$/i;
/** Classes that users of the host may read: a certificate is public. */
const PUBLIC: ReadonlySet<string> = new Set(["certificate"]);
/** Classes whose findings on several targets are no reuse: certificates are public, and service accounts share only their name. */
const WITHOUT_REUSE: readonly string[] = ["certificate", "service_login"];
const HOST_KEY = /^\/etc\/ssh\/ssh_host_\w+_key$/;

/** sshd needs its private keys without a passphrase, so they are less risky than others. */
export const classAt = (kind: string, path: string): string =>
  kind === "private_key" && HOST_KEY.test(path) ? "host_key" : kind;

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

export const REUSED = "The same secret is on several targets";

export function riskFactors(facts: RiskFacts, now: Date): RiskFactor[] {
  const mode = Number.parseInt(facts.fileMode, 8);
  const readable = (mode & 0o004) !== 0 ? 20 : (mode & 0o040) !== 0 ? 8 : 0;
  const exposure = PUBLIC.has(facts.class) ? 0 : readable;
  const factors: RiskFactor[] = [
    { factor: "Kind of secret", points: BASE[facts.class] ?? BASE_OF_OTHERS },
    { factor: "Detector's confidence", points: Math.round((facts.confidence - 1) * 20) },
    { factor: exposureOf(facts.path, mode), points: exposure },
    { factor: "The secret opens an account of a safe", points: facts.isOfAccount ? 15 : 0 },
    { factor: "The account is privileged", points: PRIVILEGED.test(facts.username ?? "") ? 10 : 0 },
    ...livenessFactor(facts.liveness),
    { factor: REUSED, points: reusePoints(facts.class, facts.targets) },
    { factor: "The file has not changed for a year", points: +now - +facts.modifiedAt > YEAR_MS ? 5 : 0 },
  ];
  return factors.filter(({ points }) => points !== 0);
}

function exposureOf(path: string, mode: number): string {
  switch (placeOf(path).kind) {
    case "column":
    case "definition":
    case "setting":
      return "Every login of the database can read it";
    case "object":
      return "Everyone can read the bucket";
    case "repository":
      return "Everyone with access to the repository can read it";
    default:
      return (mode & 0o004) !== 0 ? "Every user of the host can read the file" : "Its group can read the file";
  }
}

function livenessFactor(liveness: FindingLiveness): RiskFactor[] {
  if (liveness === "live") return [{ factor: "The secret works", points: 20 }];
  return liveness === "dead" ? [{ factor: "The secret no longer works", points: -30 }] : [];
}

export const riskScore = (factors: readonly RiskFactor[]): number =>
  Math.max(
    0,
    Math.min(
      100,
      factors.reduce((sum, { points }) => sum + points, 0),
    ),
  );

const DAY_MS = 24 * 60 * 60 * 1000;
/** The days within which a finding has to be fixed. */
const DAYS: Readonly<Record<FindingSeverity, number>> = { critical: 3, high: 14, medium: 60, low: 180 };

export const dueAt = (score: number, found: Date): Date => new Date(+found + DAYS[severityOfRisk(score)] * DAY_MS);

/** The due date under a new score. A date that a user chose stays. */
export function dueAfter(
  { due_at: due, created_at: found, risk_score: before }: { due_at: Date | null; created_at: Date; risk_score: number },
  score: number,
): Date | null {
  return due !== null && +due === +dueAt(before, found) ? dueAt(score, found) : due;
}

/** The factors when the secret is on this many targets. */
export function withReuse(kind: string, factors: readonly RiskFactor[], targets: number): RiskFactor[] {
  const points = reusePoints(kind, targets);
  const others = factors.filter(({ factor }) => factor !== REUSED);
  return points === 0 ? others : [...others, { factor: REUSED, points }];
}

const reusePoints = (kind: string, targets: number): number =>
  WITHOUT_REUSE.includes(kind) ? 0 : Math.min(15, 5 * Math.max(0, targets - 1));

/** OPEN-120: any status may follow any, but only scans make findings new. */
export const mayFollow = (before: FindingStatus, after: FindingStatus): boolean => after !== "new" || before === "new";

export interface Rule {
  id: string;
  kind: "path" | "secret" | "class";
  matches: string;
}

/** The first rule that covers the finding, or null. */
export function ruleFor<R extends Rule>(
  rules: readonly R[],
  finding: { path: string; fingerprint: string | null; class: string },
): R | null {
  return (
    rules.find(({ kind, matches }) => {
      if (kind === "secret") return matches === finding.fingerprint;
      return kind === "class" ? matches === finding.class : matchesPath(matches, finding.path);
    }) ?? null
  );
}

/** `*` matches any text, slashes included. Takes linear time for each star. */
export function matchesPath(pattern: string, path: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  if (!path.startsWith(first)) return false;
  if (others.length === 0) return path === first;
  let at = first.length;
  const last = others.pop()!;
  for (const part of others) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}

const NAMES: Readonly<Record<string, string>> = {
  known_secret: "Password of a stored account",
  private_key: "Private key",
  api_token: "API token",
  weak_password: "Weak password",
  password: "Password",
  encryption_key: "Encryption key",
  password_hash: "Password hash",
  certificate: "Certificate",
  host_key: "SSH host key",
  shared_key: "SSH key of several accounts",
  service_login: "Service account that can log in",
};

export function titleOf({ class: kind, path }: { class: string; path: string }): string {
  const place = placeOf(path);
  const secret = NAMES[kind] ?? "Secret";
  switch (place.kind) {
    case "account":
      return `${NAMES[kind] ?? "Account"}: ${place.name}`;
    case "process":
      return `${secret} in the ${place.part} of ${place.name}`;
    case "repository":
      return `${secret} in ${placeName(path)}`;
    case "definition":
      return `${secret} in the definition of ${place.name}`;
    case "column":
    case "setting":
      return `${secret} in ${place.name}`;
    default:
      return `${secret} in ${path.slice(path.lastIndexOf("/") + 1)}`;
  }
}

/** The beginnings of the places in databases. */
export const DATABASE_PLACES = ["column:", "definition:", "setting:"] as const;

/** The detector of findings about many secrets of one column. */
export const COLUMN_DETECTOR = "column";
