// Shows that the server's database is failing; after recovery, refetches the queries that failed.
import { readReadiness } from "@strongroom/contract";
import { IconDatabaseOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "#shared/api/call.ts";
import { forgetTrouble, useDatabaseTrouble } from "#shared/api/database-trouble.ts";
import classes from "./offline-notice.module.css";

export const LOOK_AGAIN_MS = 3000;

export function DatabaseNotice() {
  const trouble = useDatabaseTrouble();
  const client = useQueryClient();
  const isInTrouble = trouble !== null;

  useEffect(() => {
    if (!isInTrouble) {
      void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
      return undefined;
    }
    const leaving = new AbortController();
    const timer = setInterval(() => {
      // Still failing: polled again later.
      call(readReadiness, {}, { isBackground: true, signal: leaving.signal }).then(forgetTrouble, () => undefined);
    }, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [isInTrouble, client]);

  return (
    <div role="status" aria-live="polite">
      {isInTrouble && (
        <p className={classes.notice}>
          <IconDatabaseOff size={16} aria-hidden />
          {trouble} This page retries automatically, and forms keep what you typed.
        </p>
      )}
    </div>
  );
}
