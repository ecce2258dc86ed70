// The progress of the user's verification run, wherever it was started.
import { cancelVerificationRun, readVerificationRun, type RunId } from "@strongroom/contract";
import { mutationOptions, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";
import { RunCard } from "./run-card.tsx";
import { untilEnded } from "./until-ended.ts";

const followed = (id: RunId) => ({
  ...queryOf(readVerificationRun, { params: { id } }, { isBackground: true }),
  ...untilEnded,
});

const stopping = (client: QueryClient, id: RunId) =>
  mutationOptions({
    mutationFn: () => call(cancelVerificationRun, { params: { id } }),
    onSuccess: (run) => client.setQueryData(followed(id).queryKey, run),
  });

export function VerificationRunCard({ id, onDismiss }: { id: RunId; onDismiss?: () => void }) {
  const client = useQueryClient();
  const { data: run } = useQuery(followed(id));
  if (run === undefined) return null;
  return (
    <RunCard
      subject="Verification"
      run={run}
      succeeded={{ count: run.verified, word: "verified" }}
      stopping={stopping(client, id)}
      onDismiss={onDismiss}
    />
  );
}
