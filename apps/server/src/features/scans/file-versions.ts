// Joins the findings of all versions of a repository's file into those of one file.
import type { FileVersion, FoundFile } from "@strongroom/connectors";
import type { DetectedFinding } from "#features/findings/index.ts";
import { KNOWN } from "./known-matches.policy.ts";
import type { Recorder } from "./record-files.ts";

type ReadVersion = FoundFile & { version: FileVersion };

interface Found {
  /** The number of the version, from the newest. */
  index: number;
  findings: DetectedFinding[];
}

interface Joined {
  begun: number;
  ended: number;
  isLastBegun: boolean;
  isUnscanned: boolean;
  bySecret: Map<string, Found>;
}

/** Records a file once all its versions are scanned. Without `history`, only a part of it is read: findings may be in earlier versions. */
export function joinVersions(recorder: Pick<Recorder, "take">, { history }: { history: boolean }) {
  const files = new Map<string, Joined>();
  return {
    /** Call it before the version is scanned. The function takes its findings, in any order of the versions. */
    begin({ version, ...file }: ReadVersion): (found: readonly DetectedFinding[] | null) => void {
      const joined = files.get(file.path) ?? newFile();
      files.set(file.path, joined);
      const index = joined.begun;
      joined.begun += 1;
      joined.isLastBegun = version.isLast;
      return (found) => {
        joined.ended += 1;
        if (found === null) joined.isUnscanned = true;
        else keepNewest(joined.bySecret, found.map(withVersion(version)), index);
        if (joined.ended < joined.begun || !joined.isLastBegun) return;
        files.delete(file.path);
        const all = [...joined.bySecret.values()].flatMap(({ findings }) => findings);
        recorder.take({ ...file, found: joined.isUnscanned ? null : all, isPart: !history });
      };
    },
  };
}

const newFile = (): Joined => ({ begun: 0, ended: 0, isLastBegun: false, isUnscanned: false, bySecret: new Map() });

function keepNewest(bySecret: Map<string, Found>, found: readonly DetectedFinding[], index: number): void {
  // The newest version with a known secret is not always the newest in which it looks like one.
  for (const [secret, findings] of Map.groupBy(found, (each) => `${each.class === KNOWN} ${each.fingerprint}`)) {
    if (index < (bySecret.get(secret)?.index ?? Infinity)) bySecret.set(secret, { index, findings });
  }
}

const withVersion =
  ({ commit, author, committedAt, isCurrent }: FileVersion) =>
  (found: DetectedFinding): DetectedFinding =>
    isCurrent
      ? found
      : {
          ...found,
          reason: `${found.reason} The present file of the default branch does not contain it; commit ${commit.slice(0, 12)} of ${committedAt.slice(0, 10)} by ${author} does.`,
        };
