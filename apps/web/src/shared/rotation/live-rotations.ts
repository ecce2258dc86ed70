// Updates the rotations of one account or credential on screen from live events.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onLiveEvent } from "#shared/events/live-events.ts";
import { rotations, type Rotated } from "./rotation.queries.ts";

export function useLiveRotations({ kind, id, name }: Rotated): void {
  const client = useQueryClient();
  useEffect(
    () =>
      onLiveEvent((event) => {
        if (event.type !== "rotation.changed" || event.data.secret_id !== id) return;
        void client.invalidateQueries({ queryKey: rotations({ kind, id, name }).queryKey });
      }),
    [client, kind, id, name],
  );
}
