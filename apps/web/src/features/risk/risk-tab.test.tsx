// Tests of the Risk Assessment tab: states, what-if, trends and its selection.
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { ComplianceFramework } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { RiskTab } from "./risk-tab.tsx";

const PATH = "GET /api/v1/discovery/enhanced/risk-assessment";
const TARGET_ID = "11111111-0000-4000-8000-000000000000";
const ACCOUNT_ID = "22222222-0000-4000-8000-000000000000";

const aFactor = {
  id: "stale_passwords",
  factor: "Old passwords",
  description: "Accounts with an old password.",
  score: 50,
  impact: "medium",
  likelihood: "likely",
  weight: 50,
  affected: 3,
  total: 12,
  is_assessed: true,
  score_if_fixed: 20,
};
const another = {
  ...aFactor,
  id: "missing_mfa",
  factor: "Users without a second factor",
  score: 20,
  affected: 1,
  score_if_fixed: 50,
};
const aScore = {
  score: 60,
  status: "partially_compliant",
  violations: ["8.3.9 Passwords change: 3 of 12 accounts with an old password."],
  controls: [
    {
      id: "8.3.9",
      title: "Passwords change",
      status: "not_met",
      factors: ["stale_passwords"],
      evidence: "3 of 12 accounts with an old password.",
    },
    { id: "12.10.1", title: "A plan", status: "not_assessed", factors: [], evidence: "Needs evidence from outside." },
  ],
};
const days = Array.from({ length: 9 }, (_, index) => ({ date: `2026-11-0${index + 1}`, score: 60 + index }));
const anAssessment = {
  overall_risk_score: 60,
  risk_level: "high",
  risk_factors: [aFactor, another],
  compliance_scores: Object.fromEntries(ComplianceFramework.options.map((name) => [name, aScore])),
  recommendations: [
    {
      priority: "medium",
      category: "Secrets",
      title: "Rotate old passwords",
      description: "Rotate them now.",
      effort: "low",
      cost_impact: "low",
      factor: "stale_passwords",
      score_if_done: 20,
    },
  ],
  trends: { risk_score_trend: days, findings_trend: [{ date: "2026-11-09", count: 4, type: "ssh_key" }] },
  assessed_at: "2026-11-20T10:00:00.000Z",
};

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [PATH]: { json: { data: anAssessment } },
    "GET /api/v1/discovery/targets": {
      json: { data: [], next_cursor: null },
    },
  });
});
afterEach(() => api.close());

const Reports = ({ timeframe }: { timeframe: string }) => <p>Reports of {timeframe}</p>;
const show = (at = "/discovery?tab=risk-assessment") => renderScreen(<RiskTab Reports={Reports} />, { at });

describe("the Risk Assessment tab", () => {
  test("RISK-03: shows its empty state without data", async () => {
    api.on(PATH, { json: { data: null } });
    show();
    await screen.findByText("No Risk Assessment Data");
  });

  test("RISK-04, RISK-05: shows the server's message and tries again", async () => {
    api.on(PATH, problem(409, "risk.broken", "The audit trail is damaged."));
    show();
    await screen.findByText("Error Loading Risk Assessment");
    screen.getByText("The audit trail is damaged.");
    api.on(PATH, { json: { data: anAssessment } });
    await userEvent.click(screen.getByRole("button", { name: "Try Again" }));
    await screen.findByText("Overall Risk");
  });

  test("RISK-05: shows the default text when the server sends no message", async () => {
    api.on(PATH, { status: 500, text: "" });
    show();
    await screen.findByText("Failed to load risk assessment");
  });

  test("RISK-01: shows score, level, factors, compliance scores and recommendations", async () => {
    show();
    await screen.findByText("Overall Risk");
    expect(screen.getByRole("meter", { name: "Overall risk score" }).getAttribute("aria-valuenow")).toBe("60");
    screen.getByText("High");
    screen.getByText("3 of 12 affected");
    screen.getByText("PCI DSS");
    screen.getByText("Rotate old passwords");
    await userEvent.click(screen.getByRole("button", { name: "Show controls of PCI DSS" }));
    const controls = screen.getByRole("list", { name: "Controls of PCI DSS" });
    within(controls).getByText("Not assessed");
  });

  test("selected factors lower the score, and Reset restores it", async () => {
    show();
    await userEvent.click(await screen.findByRole("checkbox", { name: "Imagine old passwords as fixed" }));
    expect(screen.getByRole("meter", { name: "Score after fixing" }).getAttribute("aria-valuenow")).toBe("20");
    await userEvent.click(screen.getByRole("checkbox", { name: /second factor as fixed/ }));
    screen.getByText("0 (low) after fixing 2 factors.");
    await userEvent.click(screen.getByRole("button", { name: "Reset" }));
    expect(screen.queryByRole("meter", { name: "Score after fixing" })).toBeNull();
  });

  test("RISK-02: shows the last 7 entries of each trend", async () => {
    show();
    await screen.findByText("2026-11-03");
    expect(screen.queryByText("2026-11-02")).toBeNull();
    screen.getByText("SSH key");
  });

  test("a factor opens the list of its items, with links", async () => {
    const item = {
      id: ACCOUNT_ID,
      kind: "account",
      name: "root on web1",
      place: "web1.example.com",
      detail: "Rotation overdue",
      since: null,
    };
    api.on(`${PATH}/factors/stale_passwords/items`, { json: { data: [item], next_cursor: null } });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Show list: Old passwords" }));
    const link = await screen.findByRole("link", { name: "root on web1" });
    expect(link.getAttribute("href")).toBe(`/accounts/${ACCOUNT_ID}`);
  });

  describe("with the list of a factor", () => {
    const WHAT_IF = "POST /api/v1/discovery/enhanced/risk-assessment/what-if";
    const OTHER_ID = "33333333-0000-4000-8000-000000000000";
    const itemOf = (id: string, name: string) => ({ id, kind: "account", name, place: "", detail: "", since: null });
    const preview = (score: number) => ({
      json: { data: { overall_risk_score: 60, score_if_fixed: score, risk_factors: [] } },
    });
    beforeEach(async () => {
      const data = [itemOf(ACCOUNT_ID, "root on web1"), itemOf(OTHER_ID, "root on web2")];
      api.on(`${PATH}/factors/stale_passwords/items`, { json: { data, next_cursor: null } });
      api.on(WHAT_IF, preview(57));
      show();
      await userEvent.click(await screen.findByRole("button", { name: "Show list: Old passwords" }));
    });

    test("selected items show the server's score after fixing them", async () => {
      await userEvent.click(await screen.findByRole("checkbox", { name: /root on web1/ }));
      await screen.findByText("57 (medium) after fixing 1 item.");
      screen.getByText("Overall score after fixing 1 item: 57");
      expect(api.requestsTo(WHAT_IF)[0]!.body).toEqual({
        timeframe: "30d",
        factors: [],
        items: [{ factor: "stale_passwords", id: ACCOUNT_ID }],
      });
      api.on(WHAT_IF, preview(41));
      await userEvent.click(screen.getByRole("checkbox", { name: /second factor as fixed/ }));
      await userEvent.click(screen.getByRole("checkbox", { name: "Select all 2 shown" }));
      await screen.findByText("41 (medium) after fixing 1 factor and 2 items.");
      expect(api.requestsTo(WHAT_IF).at(-1)!.body).toMatchObject({
        factors: ["missing_mfa"],
        items: [{ id: ACCOUNT_ID }, { id: OTHER_ID }],
      });
      await userEvent.click(screen.getByRole("button", { name: "Reset" }));
      screen.getByText(/^Select factors, or items in their lists, to see the score/);
    });

    test("a selected factor includes its items", async () => {
      await userEvent.click(await screen.findByRole("checkbox", { name: /root on web1/ }));
      await userEvent.click(screen.getByRole("checkbox", { name: "Imagine old passwords as fixed" }));
      screen.getByText("20 (low) after fixing 1 factor.");
      const item = screen.getByRole<HTMLInputElement>("checkbox", { name: /root on web2/ });
      expect([item.checked, item.disabled]).toEqual([true, true]);
    });

    test("shows the server's message when the score cannot be calculated", async () => {
      api.on(WHAT_IF, problem(409, "risk.broken", "The audit trail is damaged."));
      await userEvent.click(await screen.findByRole("checkbox", { name: /root on web1/ }));
      await screen.findByText("Failed to calculate the score. The audit trail is damaged.");
      expect(screen.queryByRole("meter", { name: "Score after fixing" })).toBeNull();
    });
  });

  test("RISK-12, RISK-13: sends the only selected target, and 30 days unless another time frame is chosen", async () => {
    show(`/discovery?tab=risk-assessment&target=${TARGET_ID}`);
    await screen.findByText("Overall Risk");
    await waitFor(() => {
      expect(Object.fromEntries(api.requestsTo(PATH)[0]!.query)).toEqual({ targetId: TARGET_ID, timeframe: "30d" });
    });
    await userEvent.click(screen.getByRole("radio", { name: "90 days" }));
    await screen.findByText("Reports of 90d");
  });
});
