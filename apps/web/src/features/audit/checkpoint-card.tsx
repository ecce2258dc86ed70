// The newest signed checkpoint, and how to verify an export with only the log's public key.
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useNow } from "#shared/format/now.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import classes from "./audit-page.module.css";
import { newestCheckpoint } from "./audit.queries.ts";
import { exportFileName } from "./export-names.ts";

const REFRESH_MS = 15_000;

export function CheckpointCard() {
  const checkpoint = useQuery({ ...newestCheckpoint, refetchInterval: REFRESH_MS });
  const today = new Date(useNow());
  const { data } = checkpoint;
  if (data === undefined) {
    return (
      <SectionCard title="Latest Checkpoint">
        {checkpoint.isError ? (
          <ErrorState message={messageOf(checkpoint.error)} onRetry={() => void checkpoint.refetch()} />
        ) : (
          <SectionSkeleton />
        )}
      </SectionCard>
    );
  }
  return (
    <>
      <SectionCard title="Latest Checkpoint" description="Signs every entry up to this point">
        <Facts
          facts={[
            { name: "Entries signed", value: data.size.toLocaleString() },
            { name: "Signed", value: <RelativeTime moment={data.signed_at} none="Nothing signed yet" /> },
            { name: "Waiting to be signed", value: data.pending.toLocaleString() },
          ]}
        />
        {data.checkpoint !== null && (
          <details className={classes.details}>
            <summary>Show the signed note</summary>
            <CodeBlock code={data.checkpoint} label="checkpoint" />
          </details>
        )}
      </SectionCard>
      <SectionCard
        title="Verify It Yourself"
        description="On any machine, without this server, using only its public key"
      >
        <p className={classes.label}>Verifier key</p>
        <CodeBlock code={data.verifier_key} label="verifier key" isWrapped />
        <p className={classes.label}>Command for an exported file</p>
        <CodeBlock code={verifyCommand(exportFileName(today), data.verifier_key)} label="command" isWrapped />
      </SectionCard>
    </>
  );
}

/** Quotes a word for a POSIX shell: bare when it has no special characters, else in single quotes. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const verifyCommand = (file: string, verifierKey: string): string =>
  `npx strongroom audit verify ${shellWord(file)} --key ${shellWord(verifierKey)}`;
