// Shows when the browser goes offline and when it is online again.
import { IconWifiOff } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import classes from "./offline-notice.module.css";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

export const useIsOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

export function OfflineNotice() {
  const isOnline = useIsOnline();
  return (
    <div role="status" aria-live="polite">
      {!isOnline && (
        <p className={classes.notice}>
          <IconWifiOff size={16} aria-hidden />
          You are offline. This page may be out of date, and changes cannot be saved until the connection is back.
        </p>
      )}
    </div>
  );
}
