// Renders a screen with the app's theme, query client, toasts and router.
import { MantineProvider } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Suspense, type ReactElement } from "react";
import { RouterProvider } from "react-router/dom";
import { createMemoryRouter, useLocation, type RouteObject } from "react-router";
import { cssVariables, theme } from "#app/theme.ts";
import { createQueryClient } from "#shared/api/query.ts";
import { loadToastList } from "#shared/ui/toast-loader.ts";
import { ToastRegion } from "#shared/ui/toast-region.tsx";

// Toasts show immediately, as they do for signed-in users.
await loadToastList();

/** Shows the current address after a navigation: `screen.getByTestId("address")`. */
function Elsewhere() {
  const { pathname, search } = useLocation();
  return <div data-testid="address">{`${pathname}${search}`}</div>;
}

export interface ScreenOptions {
  /** The address, such as `/vault/1`. */
  at?: string;
  /** The route's pattern when it has parameters, such as `/vault/:id`. */
  path?: string;
  /** The state of the navigation that led here. */
  state?: unknown;
  /** More routes, or all of them when no element is given. */
  routes?: RouteObject[];
}

/** Every address other than the screen's own renders the address itself. */
export function renderScreen(element: ReactElement | null, options: ScreenOptions = {}) {
  const at = options.at ?? "/";
  const { pathname, search, hash } = new URL(at, "http://test");
  const routes: RouteObject[] = [
    ...(element === null ? [] : [{ path: options.path ?? pathname, element }]),
    ...(options.routes ?? []),
    { path: "*", element: <Elsewhere /> },
  ];
  const router = createMemoryRouter(routes, {
    initialEntries: [{ pathname, search, hash, state: options.state }],
  });
  const queryClient = createQueryClient();
  notifications.clean();
  const view = render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} env="test">
      <QueryClientProvider client={queryClient}>
        <ToastRegion />
        <Suspense fallback={null}>
          <RouterProvider router={router} />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...view, router, queryClient, user: userEvent.setup({ delay: null }) };
}
