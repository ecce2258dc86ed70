// Decides how the secrets of one database column are reported.
import type { ReadColumn } from "@strongroom/connectors";
import { COLUMN_DETECTOR, settingName } from "#features/findings/index.ts";
import type { DetectedFinding } from "#features/findings/index.ts";
import { KNOWN } from "./known-matches.policy.ts";

/** A column with more secrets than this is where an application keeps the passwords of its users: one finding. */
const MOST_OF_COLUMN = 3;

const WHAT: Readonly<Record<string, string>> = {
  password: "passwords in clear text",
  weak_password: "passwords in clear text",
  password_hash: "hashes that are fast to guess",
  api_token: "tokens in clear text",
};

/** `hash` is keyed. Secrets of stored accounts are always reported one by one. */
export function ofColumns(
  { place, name }: ReadColumn,
  found: ReadonlyMap<string, DetectedFinding[]>,
  { rows, hash }: { rows: number; hash: (text: string) => string },
): DetectedFinding[] {
  const ofPlace = found.get(place) ?? [];
  // A row with a host is a login elsewhere, which can be verified and vaulted on its own.
  const isNamed = ({ keyName, host, class: kind }: DetectedFinding) =>
    keyName === settingName(name) && host === null && kind !== KNOWN;
  const named = Map.groupBy(ofPlace.filter(isNamed), (each) => each.class);
  const joined = [...named].filter(
    ([, each]) => new Set(each.map(({ fingerprint }) => fingerprint)).size > MOST_OF_COLUMN,
  );
  const isJoined = new Set(joined.flatMap(([, each]) => each));
  return [
    ...ofPlace.filter((each) => !isJoined.has(each)),
    ...joined.map(([kind, each]): DetectedFinding => ({
      ...each[0]!,
      detector: COLUMN_DETECTOR,
      reason: `${each.length.toLocaleString("en")} of ${rows.toLocaleString("en")} rows read contain ${WHAT[kind] ?? "secrets"}.`,
      confidence: Math.max(...each.map(({ confidence }) => confidence)),
      line: 1,
      userName: null,
      host: null,
      port: null,
      preview: "••••••",
      fingerprint: hash(`column:${place}:${kind}`),
      knownSecrets: [],
      hiddenFrom: [],
    })),
  ];
}
