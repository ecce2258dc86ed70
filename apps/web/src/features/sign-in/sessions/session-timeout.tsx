// Watches the signed-in user's inactivity: the toast, the dialog and the sign-out (AUTH-49 to AUTH-64).
import { currentSession } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryOf } from "#shared/api/query.ts";
import { lastActivity, recordActivity, reportToServer } from "#shared/session/activity.ts";
import { DEFAULT_LIMITS, limitsFor } from "#shared/session/session-limits.ts";
import { useSessionSettings } from "#shared/session/session-settings.ts";
import { useUser } from "#shared/session/session-store.ts";
import { signOut } from "#shared/session/sign-out.ts";
import { useInactivity } from "#shared/session/use-inactivity.ts";
import { toast } from "#shared/ui/toast.ts";
import { SessionTimeoutDialog } from "#shared/session/session-timeout-dialog.tsx";

const WARNING = "Your session will expire in 2 minutes due to inactivity.";
const EXPIRED = "Session expired due to inactivity. Please log in again.";
const TOAST_ID = "inactivity";

async function expire(): Promise<void> {
  try {
    await signOut("inactivity");
    toast.dismiss(TOAST_ID);
    toast.error(EXPIRED, { duration: 6000 });
  } catch {
    // AUTH-54: a page that cannot delete its session must not stay open with it.
    location.reload();
  }
}

async function leave(): Promise<void> {
  try {
    await signOut("person");
  } catch {
    location.reload();
  }
}

export function SessionTimeout() {
  const { role } = useUser();
  const personal = useSessionSettings();
  const { data } = useQuery(queryOf(currentSession));
  const [isSigningOut, setIsSigningOut] = useState(false);

  const { inactivity, isWarned, stay } = useInactivity({
    limits: limitsFor(data?.limits ?? DEFAULT_LIMITS, role, personal),
    lastActivity,
    onActivity: () => {
      recordActivity();
      reportToServer();
    },
    onToast: () => toast.error(WARNING, { id: TOAST_ID, duration: 5000 }),
    onExpire: () => {
      setIsSigningOut(true);
      void expire();
    },
  });

  return (
    <SessionTimeoutDialog
      opened={isWarned}
      remainingMs={inactivity.remainingMs}
      isSigningOut={isSigningOut}
      onStay={stay}
      onLogout={() => {
        setIsSigningOut(true);
        void leave();
      }}
    />
  );
}
