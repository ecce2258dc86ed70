// The progress of a rotation run of one's own. Stopping it starts no more; what was sent is brought to its end.
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
