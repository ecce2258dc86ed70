// The layout of every signed-in page: sidebar, top bar, main area (SHELL-10, SHELL-11).
import { Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, lazy, useEffect, useRef } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { SessionTimeout } from "#features/sign-in/sessions/session-timeout.tsx";
import { ErrorBoundary } from "#shared/ui/error-boundary.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { DatabaseNotice } from "#shared/ui/database-notice.tsx";
import { OfflineNotice } from "#shared/ui/offline-notice.tsx";
import { ServerNotice } from "#shared/ui/server-notice.tsx";
import { useActivationWatch } from "#shared/session/pending-account.ts";
import { NotificationActionHandlers } from "#shared/notifications/notification-acts.ts";
import type { ActsOf } from "#shared/notifications/notification-acts.ts";
import { useLiveUpdates } from "../live-updates.ts";
import { paths } from "#shared/paths.ts";
import { isOpenWhilePending } from "#shared/navigation.ts";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";
import { IconHourglass } from "@tabler/icons-react";

const RequestDecision = lazy(() => import("#features/access-requests/decision/request-decision.tsx"));

const ActivationAct = lazy(() => import("#features/users/people/activation-act.tsx"));

/** Resets focus and scroll position on navigation, as a page load does. */
function useFreshStart(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname]);
  return main;
}

export function Shell() {
  const [isMenuOpen, menu] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useFreshStart(pathname);
  useLiveUpdates();
  const isPending = useActivationWatch();

  return (
    <NotificationActionHandlers value={notificationActs}>
      <div className={classes.shell}>
        <a className={classes.skip} href="#main">
          Skip to content
        </a>
        <aside className={classes.aside}>
          <Sidebar />
        </aside>
        <Drawer.Root
          opened={isMenuOpen}
          onClose={menu.close}
          size="17rem"
          classNames={{ content: classes.drawer, body: classes.drawerBody }}
        >
          <Drawer.Overlay backgroundOpacity={0.5} />
          <Drawer.Content aria-label="Navigation">
            <Drawer.Body>
              <Sidebar onNavigate={menu.close} />
            </Drawer.Body>
          </Drawer.Content>
        </Drawer.Root>
        <div className={classes.column}>
          <OfflineNotice />
          <ServerNotice />
          <DatabaseNotice />
          <TopBar isMenuOpen={isMenuOpen} onMenu={menu.toggle} />
          {isPending && <PendingNotice />}
          <main className={classes.main} id="main" ref={main} tabIndex={-1}>
            <ErrorBoundary resetKey={pathname}>
              <Suspense fallback={<SectionLoading />}>
                {isPending && !isOpenWhilePending(pathname) ? <Navigate to={paths.vault} replace /> : <Outlet />}
              </Suspense>
            </ErrorBoundary>
          </main>
        </div>
        <SessionTimeout />
      </div>
    </NotificationActionHandlers>
  );
}

export const notificationActs: ActsOf = ({ type, actionRequired, metadata }) => {
  const { request_id: requestId, user_id: userId } = metadata;
  if (!actionRequired) return null;
  if (typeof requestId === "string") {
    return (
      <Suspense fallback={null}>
        <RequestDecision id={requestId} />
      </Suspense>
    );
  }
  if (type !== "user_activation" || typeof userId !== "string") return null;
  return (
    <Suspense fallback={null}>
      <ActivationAct userId={userId} />
    </Suspense>
  );
};

function PendingNotice() {
  return (
    <p className={classes.pending} role="status">
      <IconHourglass size={16} aria-hidden />
      <span>
        <b>Your account is waiting for activation.</b> Administrators have been notified. Until one of them activates
        it, you can use your profile and your personal vault.
      </span>
    </p>
  );
}
