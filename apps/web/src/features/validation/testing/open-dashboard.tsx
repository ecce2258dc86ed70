// Opens the Validation Dashboard with a fake server in tests.
import { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";
import { screen } from "@testing-library/react";
import { startApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import ValidationDashboardPage from "../validation-dashboard-page.tsx";
import { figures, type aFailure } from "./figures.ts";

export const DASHBOARD = "GET /api/v1/validation/dashboard";
export const ATTEMPTS = "GET /api/v1/validation/attempts";
export const FAILURES = "GET /api/v1/validation/failures";
export const SESSIONS = "GET /api/v1/validation/jit-sessions";
export const TRIGGER = "POST /api/v1/validation/trigger";
export const SEARCH = "POST /api/v1/validation/search";
export const HEALTH = "GET /api/v1/validation/system-health";

export const failuresOf = (...failures: ReturnType<typeof aFailure>[]) => ({
  json: {
    failures,
    total: failures.length,
    by_severity: {
      critical: failures.filter(({ severity }) => severity === "critical").length,
      high: failures.filter(({ severity }) => severity === "high").length,
      medium: 0,
      low: 0,
    },
    next_cursor: null,
  },
});

/** Returns figures and empty lists; tests override single replies. */
export const dashboardApi = () =>
  startApi({
    [DASHBOARD]: { json: figures },
    [HEALTH]: { json: { systems: [] } },
    [ATTEMPTS]: { json: { attempts: [], total: 0, next_cursor: null } },
    [FAILURES]: failuresOf(),
    [SESSIONS]: { json: { sessions: [], total: 0, with_issues: 0, next_cursor: null } },
    "GET /api/v1/validation/filters": {
      json: { system_types: [], connection_methods: [], verification_methods: [] },
    },
    "GET /api/v1/user/preferences/dashboard": { json: DashboardPreferences.parse({}) },
    "GET /api/v1/user/preferences/notifications": { json: NotificationPreferences.parse({}) },
    "GET /api/v1/notifications": { json: { notifications: [], unread: 0 } },
  });

export const openDashboard = (query = "") =>
  renderScreen(<ValidationDashboardPage />, { at: `/validation-dashboard${query}`, path: "/validation-dashboard" });
export const tabNamed = (name: string | RegExp) => screen.findByRole("tab", { name });
