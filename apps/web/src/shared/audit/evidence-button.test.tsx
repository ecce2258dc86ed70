import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { EvidenceButton } from "./evidence-button.tsx";

const BUNDLE = "GET /api/v1/audit/bundle";
const ID = "0190c0de-0000-7000-8000-00000000c0de";

let api: TestApi;
const saved: string[] = [];
beforeEach(async () => {
  saved.length = 0;
  URL.createObjectURL = vi.fn(() => "blob:test");
  URL.revokeObjectURL = vi.fn();
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  api = await startApi({ [BUNDLE]: { text: "evidence" } });
});
afterEach(() => api.close());

const shown = () => renderScreen(<EvidenceButton about="account" id={ID} name="this account" />);

test("a manager saves an account's audit entries with their proofs", async () => {
  signInForTest({ role: "manager" });
  const { user } = shown();
  await user.click(screen.getByRole("button", { name: "Evidence about this account" }));
  await waitFor(() => expect(saved).toEqual([`evidence-account-${ID}.jsonl`]));
  const { query } = api.requestsTo(BUNDLE)[0]!;
  expect([query.get("about"), query.get("id")]).toEqual(["account", ID]);
});

test("a refused export shows the error and saves no file", async () => {
  signInForTest({ role: "admin" });
  api.on(BUNDLE, problem(409, "audit.too-much-evidence", "More than 10,000 entries. Choose a shorter time range."));
  const { user } = shown();
  await user.click(screen.getByRole("button", { name: "Evidence about this account" }));
  await screen.findByText("Failed to download the evidence: More than 10,000 entries. Choose a shorter time range.");
  expect(saved).toEqual([]);
});

test("OPEN-133: a user without access to the whole trail sees no button", () => {
  signInForTest({ role: "user" });
  shown();
  expect(screen.queryByRole("button")).toBeNull();
});
