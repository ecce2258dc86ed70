// Shows that the server does not respond and polls it; after recovery, refetches the queries that failed.
import { IconCloudOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { probeServer } from "#shared/api/call.ts";
import { useServerContact } from "#shared/api/server-contact.ts";
import { useIsOnline } from "./offline-notice.tsx";
import classes from "./offline-notice.module.css";

const PROBE_EVERY_MS = 2000;

export function ServerNotice() {
  const contact = useServerContact();
  const isOnline = useIsOnline();
  const client = useQueryClient();
  const isAnswering = contact === "answering";

  useEffect(() => {
    if (isAnswering) {
      void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
      return undefined;
    }
    void probeServer();
    const timer = setInterval(() => void probeServer(), PROBE_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAnswering, client]);

  return (
    <div role="status" aria-live="polite">
      {contact === "overdue" && isOnline && (
        <p className={classes.notice}>
          <IconCloudOff size={16} aria-hidden />
          The server is not responding. This page keeps retrying, and forms keep what you typed.
        </p>
      )}
    </div>
  );
}
