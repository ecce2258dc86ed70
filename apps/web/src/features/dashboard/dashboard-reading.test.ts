import { describe, expect, test } from "vitest";
import { AlertsResult, StatsResult } from "./dashboard-reading.ts";

describe("DASH-08: reading the figures", () => {
  const figures = {
    totalCredentials: 4,
    activeSessions: 3,
    privilegedUsers: 2,
    complianceScore: 75,
    complianceFormula: null,
  };

  test("accepts the contract's names", () => {
    const complianceFormula = "Verified of all";
    expect(StatsResult.parse({ ...figures, complianceFormula })).toEqual({ ...figures, complianceFormula });
  });

  test("accepts credentials, sessions and users", () => {
    expect(StatsResult.parse({ credentials: 4, sessions: 3, users: 2, complianceScore: 75 })).toEqual(figures);
  });

  test("keeps zeros", () => {
    expect(StatsResult.parse({ totalCredentials: 0, credentials: 9 }).totalCredentials).toBe(0);
  });

  test("returns null for a missing figure", () => {
    expect(StatsResult.parse({}).totalCredentials).toBeNull();
  });
});

describe("reading the alerts", () => {
  const sent = {
    id: "1",
    message: "Broken",
    severity: "high",
    timestamp: "2026-11-21T10:00:00.000Z",
    link: "/vault/1",
  };
  const read = { id: "1", text: "Broken", severity: "high", timestamp: sent.timestamp, link: "/vault/1", advice: null };

  test.each([{ alerts: [sent] }, { items: [sent] }, [sent]])("DASH-09: reads alerts from %j", (answer) => {
    expect(AlertsResult.parse(answer)).toEqual([read]);
  });

  test("DASH-10: accepts a name instead of a message", () => {
    const { message: _, ...rest } = sent;
    expect(AlertsResult.parse([{ ...rest, name: "Named" }])[0]?.text).toBe("Named");
  });

  test("DASH-10: treats an unknown severity as medium", () => {
    expect(AlertsResult.parse([{ ...sent, severity: "apocalyptic" }])[0]?.severity).toBe("medium");
  });
});
