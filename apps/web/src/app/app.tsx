// The app inside its providers: theme, server state, toasts, routes.
import { MantineProvider, localStorageColorSchemeManager } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { BrowserRouter, useRoutes } from "react-router";
import { ErrorBoundary } from "#shared/ui/error-boundary.tsx";
import { PageLoading } from "#shared/ui/loading.tsx";
import { ToastPlace } from "#shared/ui/toast-place.tsx";
import { queryClient } from "./query-client.ts";
import { routes } from "./router.tsx";
import { SealWatch } from "./seal-watch.tsx";
import { cssVariables, theme } from "./theme.ts";

const colorScheme = localStorageColorSchemeManager({ key: "strongroom.color-scheme" });

/** Not needed before the first screen. */
const StepUpDialog = lazy(() => import("#features/factors/step-up-dialog.tsx"));

const PeopleGainingAccessDialog = lazy(() => import("#features/safes/people-gaining-access.tsx"));

/** The pages before the layout load in the whole window; inside it, in the main area. */
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
          <ToastPlace />
          <BrowserRouter>
            <SealWatch />
            <Pages />
            <Suspense fallback={null}>
              <StepUpDialog />
              <PeopleGainingAccessDialog />
            </Suspense>
          </BrowserRouter>
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  );
}
