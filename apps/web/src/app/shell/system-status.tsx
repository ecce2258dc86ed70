// The system status at the bottom of the sidebar (SHELL-13, OPEN-31). Its query is also the keep-alive ping
// (HTTP-15).
import { readHealth, type Health } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useDatabaseTrouble } from "#shared/api/database-trouble.ts";
import { queryOf } from "#shared/api/query.ts";
import { useConnectionState } from "#shared/events/live-events.ts";
import classes from "./system-status.module.css";

export const KEEP_ALIVE_MS = 10 * 60_000;
const ALL_WELL = "All systems operational";

export interface StatusNote {
  tone: "good" | "bad" | "unknown";
  text: string;
}

/** The note for a health response, for a pending query (undefined) or for a failed one. */
export function statusNote(health: Health | undefined, isFailed: boolean): StatusNote {
  if (isFailed) return { tone: "bad", text: "The server cannot be reached" };
  if (health === undefined) return { tone: "unknown", text: "Checking..." };
  if (health.status === "healthy") return { tone: "good", text: ALL_WELL };
  const found = health.checks
    .filter(({ state }) => state !== "ok")
    .map(({ name, state, message }) => message ?? `${name} is ${state}`);
  return { tone: "bad", text: found.length > 0 ? found.join(". ") : health.summary };
}

export function SystemStatus() {
  const connection = useConnectionState();
  const { data, isError, isFetching, refetch } = useQuery({
    ...queryOf(readHealth, {}, { isBackground: true }),
    refetchInterval: KEEP_ALIVE_MS,
    refetchIntervalInBackground: true,
  });

  // When the event stream breaks or reconnects, check the health now and not at the next ping.
  const before = useRef(connection);
  useEffect(() => {
    const isNews = connection === "error" || (connection === "connected" && isError);
    if (isNews && before.current !== connection) void refetch();
    before.current = connection;
  }, [connection, isError, refetch]);

  // The query retries for a minute before it counts as failed; a broken event stream is reported immediately.
  const isLost = data !== undefined && isFetching && (connection === "error" || connection === "connecting");
  const trouble = useDatabaseTrouble();
  const { tone, text } =
    trouble === null ? statusNote(data, isError || isLost) : { tone: "bad" as const, text: trouble };
  return (
    <section className={classes.status} aria-label="System Status">
      <p className={classes.title}>System Status</p>
      <p className={classes.note} role="status">
        <span className={classes.dot} data-tone={tone} aria-hidden />
        {text}
      </p>
    </section>
  );
}
