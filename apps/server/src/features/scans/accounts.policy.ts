// Decides which accounts of a host are findings: service accounts that can log in, and accounts that share a key.
import type { ListedAccount } from "@strongroom/connectors";
import type { DetectedFinding, ScannedFile } from "#features/findings/index.ts";

/** The first user id of people on the common distributions (`UID_MIN` in login.defs). */
const FIRST_PERSONAL_UID = 1000;
const NO_LOGIN = /\/(?:nologin|false|sync|shutdown|halt)$/;

/** The place of an account's findings. Paths of files begin with a slash. */
export const placeOf = (name: string): string => `account:${name}`;

const keysOf = ({ facts }: ListedAccount): string[] => {
  const keys = facts["keys"];
  return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [];
};

/** `hash` is keyed. All accounts are returned, most of them without a finding, so that later scans close what is gone. */
export function accountFindings(
  accounts: readonly ListedAccount[],
  { hash, at }: { hash: (text: string) => string; at: Date },
): ScannedFile[] {
  const users = new Map<string, string[]>();
  for (const account of accounts) {
    for (const key of keysOf(account)) users.set(key, [...(users.get(key) ?? []), account.name]);
  }
  return accounts.map((account) => ({
    path: placeOf(account.name),
    size: 0,
    stamp: "",
    modifiedAt: account.passwordChangedAt ?? at.toISOString(),
    // An account is not a file that others could read.
    mode: "600",
    owner: account.name,
    group: "",
    found: [...serviceFinding(account, hash), ...sharedFindings(account, users, hash)],
  }));
}

function serviceFinding(account: ListedAccount, hash: (text: string) => string): DetectedFinding[] {
  const { uid, shell, passwordStatus } = account.facts;
  const isOfSystem = typeof uid === "number" && uid > 0 && uid < FIRST_PERSONAL_UID;
  const hasShell = typeof shell === "string" && shell !== "" && !NO_LOGIN.test(shell);
  const canLogIn = hasShell && !account.isLocked && (passwordStatus === "set" || keysOf(account).length > 0);
  if (!isOfSystem || !canLogIn) return [];
  const way = passwordStatus === "set" ? "a password" : "an SSH key";
  return [
    {
      ...COMMON,
      type: "service_account",
      class: "service_login",
      detector: "service-account",
      reason: `The service account ${account.name} has ${way} and a login shell.`,
      userName: account.name,
      preview: way,
      fingerprint: hash(`service:${account.name}`),
    },
  ];
}

function sharedFindings(
  account: ListedAccount,
  users: ReadonlyMap<string, readonly string[]>,
  hash: (text: string) => string,
): DetectedFinding[] {
  return keysOf(account).flatMap((key) => {
    const others = (users.get(key) ?? []).filter((name) => name !== account.name);
    if (others.length === 0) return [];
    const named =
      others.length > 3 ? `${others.slice(0, 3).join(", ")} and ${others.length - 3} more` : others.join(", ");
    return [
      {
        ...COMMON,
        type: "shared_account" as const,
        class: "shared_key",
        detector: "shared-ssh-key",
        reason: `One SSH key logs in as ${account.name} and as ${named}, so their actions cannot be told apart.`,
        userName: account.name,
        preview: key,
        fingerprint: hash(`key:${key}`),
      },
    ];
  });
}

const COMMON = {
  confidence: 1,
  line: 1,
  keyName: null,
  host: null,
  port: null,
  knownSecrets: [],
  context: [],
} as const;
