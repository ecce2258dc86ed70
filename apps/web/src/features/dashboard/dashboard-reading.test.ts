import { describe, expect, test } from "vitest";
import { AlertsReading, StatsReading } from "./dashboard-reading.ts";

describe("DASH-08: the figures", () => {
  const figures = {
    totalCredentials: 4,
    activeSessions: 3,
    privilegedUsers: 2,
    complianceScore: 75,
    complianceFormula: null,
  };

  test("are read by the contract's names", () => {
    const complianceFormula = "Verified of all";
    expect(StatsReading.parse({ ...figures, complianceFormula })).toEqual({ ...figures, complianceFormula });
  });

  test("or as credentials, sessions and users", () => {
    expect(StatsReading.parse({ credentials: 4, sessions: 3, users: 2, complianceScore: 75 })).toEqual(figures);
  });

  test("a zero is a figure", () => {
    expect(StatsReading.parse({ totalCredentials: 0, credentials: 9 }).totalCredentials).toBe(0);
  });

  test("one that is missing is not made up", () => {
    expect(StatsReading.parse({}).totalCredentials).toBeNull();
  });
});

describe("the alerts", () => {
  const sent = {
    id: "1",
    message: "Broken",
    severity: "high",
    timestamp: "2026-11-21T10:00:00.000Z",
    link: "/vault/1",
  };
  const read = { id: "1", text: "Broken", severity: "high", timestamp: sent.timestamp, link: "/vault/1" };

  test.each([{ alerts: [sent] }, { items: [sent] }, [sent]])("DASH-09: are read from %j", (answer) => {
    expect(AlertsReading.parse(answer)).toEqual([read]);
  });

  test("DASH-10: may have a name instead of a message", () => {
    const { message: _, ...rest } = sent;
    expect(AlertsReading.parse([{ ...rest, name: "Named" }])[0]?.text).toBe("Named");
  });

  test("DASH-10: a severity that nobody defined counts as medium", () => {
    expect(AlertsReading.parse([{ ...sent, severity: "apocalyptic" }])[0]?.severity).toBe("medium");
  });
});
