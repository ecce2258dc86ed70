// Tests of dashboard and notification preferences.
import {
  readDashboardPreferences,
  readNotificationPreferences,
  updateDashboardPreferences,
  updateNotificationPreferences,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const NOTIFICATIONS = {
  enableValidationAlerts: true,
  enableCriticalFailures: true,
  enableJitAlerts: true,
  enableSuccessNotifications: false,
  alertSounds: false,
  emailNotifications: false,
  minimumSeverity: "medium",
} as const;
const DASHBOARD = {
  autoRefresh: true,
  refreshInterval: 30_000,
  defaultTimeRange: "24h",
  visibleWidgets: [] as string[],
  notifications: { enableCriticalAlerts: true, enableSuccessNotifications: false, alertSounds: false },
} as const;

let app: TestApp;
let person: TestPerson;
before(async () => {
  app = await testApp();
  person = await aPerson(app);
});
after(() => app.close());

describe("preferences", () => {
  test("API-21, NOTIF-06, OPEN-141: by default, critical, failure and JIT alerts are on, success alerts and sounds off", async () => {
    assert.deepEqual((await app.call(readNotificationPreferences, { as: person.token })).body, NOTIFICATIONS);
  });

  test("API-22, VAL-47: a user without preferences has the dashboard defaults", async () => {
    assert.deepEqual((await app.call(readDashboardPreferences, { as: person.token })).body, DASHBOARD);
  });

  test("API-21, API-22, API-84, OPEN-134: reads return the written values, and each part is stored separately", async () => {
    const notifications = { ...NOTIFICATIONS, minimumSeverity: "critical", alertSounds: true } as const;
    const written = await app.call(updateNotificationPreferences, { body: notifications, as: person.token });
    assert.deepEqual([written.status, written.body], [200, notifications]);
    assert.deepEqual((await app.call(readDashboardPreferences, { as: person.token })).body, DASHBOARD);
    const dashboard = { ...DASHBOARD, refreshInterval: 60_000, visibleWidgets: ["alerts"] };
    await app.call(updateDashboardPreferences, { body: dashboard, as: person.token });
    assert.deepEqual((await app.call(readDashboardPreferences, { as: person.token })).body, dashboard);
    assert.deepEqual((await app.call(readNotificationPreferences, { as: person.token })).body, notifications);
    await app.call(updateNotificationPreferences, { body: NOTIFICATIONS, as: person.token });
    assert.deepEqual((await app.call(readNotificationPreferences, { as: person.token })).body, NOTIFICATIONS);
  });

  test("a change does not affect another user's preferences", async () => {
    const other = await aPerson(app);
    await app.call(updateNotificationPreferences, {
      body: { ...NOTIFICATIONS, emailNotifications: true },
      as: person.token,
    });
    assert.deepEqual((await app.call(readNotificationPreferences, { as: other.token })).body, NOTIFICATIONS);
  });

  test("unknown fields are rejected, and stored values that no longer parse are treated as unset", async () => {
    const reply = await app.call(updateNotificationPreferences, { body: { unknown: 1 } as never, as: person.token });
    assert.equal(reply.status, 400);
    const older = JSON.stringify({ minimumSeverity: "apocalyptic" });
    await app.database.pool.query("update preferences set notifications = $1 where user_id = $2", [older, person.id]);
    assert.deepEqual((await app.call(readNotificationPreferences, { as: person.token })).body, NOTIFICATIONS);
  });
});
