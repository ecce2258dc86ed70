// The progress of the user's rotation run. After a stop, no further rotation starts; those already sent to their targets
// finish.
import type { RotationRunId } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RunCard } from "#shared/runs/run-card.tsx";
import { rotationRun, runCancellation } from "./rotation.queries.ts";

export function RotationRunCard({ id, onDismiss }: { id: RotationRunId; onDismiss?: () => void }) {
  const client = useQueryClient();
  const { data: run } = useQuery(rotationRun(id));
  if (run === undefined) return null;
  return (
    <RunCard
      subject="Rotation"
      run={run}
      succeeded={{ count: run.rotated, word: "rotated" }}
      stopping={runCancellation(client, id)}
      onDismiss={onDismiss}
    />
  );
}
