// The app inside its providers: theme, query client, toasts and routes.
import { MantineProvider, localStorageColorSchemeManager } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, lazy, useEffect, useRef } from "react";
import { BrowserRouter, useRoutes, useLocation, useNavigate } from "react-router";
import { ErrorBoundary } from "#shared/ui/error-boundary.tsx";
import { PageLoading } from "#shared/ui/loading.tsx";
import { ToastRegion } from "#shared/ui/toast-region.tsx";
import { queryClient } from "./query-client.ts";
import { routes } from "./router.tsx";
import { configureCalls } from "#shared/api/call.ts";
import { paths } from "#shared/paths.ts";
import { useSession } from "#shared/session/session-store.ts";
import { cssVariables, theme } from "./theme.ts";

const colorScheme = localStorageColorSchemeManager({ key: "strongroom.color-scheme" });

const StepUpDialog = lazy(() => import("#features/factors/step-up-dialog.tsx"));

const PeopleGainingAccessDialog = lazy(() => import("#features/safes/members/people-gaining-access.tsx"));

/** Dialogs that any call may open; visitors never load them. */
function SignedInDialogs() {
  if (useSession().status !== "signed-in") return null;
  return (
    <Suspense fallback={null}>
      <StepUpDialog />
      <PeopleGainingAccessDialog />
    </Suspense>
  );
}

/** Pages outside the layout suspend the whole window; pages inside it suspend only the main area. */
function Pages() {
  return <Suspense fallback={<PageLoading />}>{useRoutes(routes)}</Suspense>;
}

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
    >
      <ErrorBoundary isOutermost>
        <QueryClientProvider client={queryClient}>
          <ToastRegion />
          <BrowserRouter>
            <SealWatch />
            <Pages />
            <SignedInDialogs />
          </BrowserRouter>
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  );
}

export function SealWatch() {
  const navigate = useNavigate();
  const location = useLocation();
  const here = useRef(location);
  useEffect(() => {
    here.current = location;
  }, [location]);

  useEffect(() => {
    configureCalls({
      onSealed: () => {
        if (here.current.pathname === paths.unseal) return;
        void navigate(paths.unseal, { replace: true, state: { from: here.current } });
      },
    });
    return () => configureCalls({ onSealed: () => undefined });
  }, [navigate]);
  return null;
}
