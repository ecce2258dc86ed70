import { screen, waitFor, within } from "@testing-library/react";
import type { LiveEvent, Rotation, RotationStep } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { connectLiveEvents } from "#shared/events/live-events.ts";
import { RotationHistory } from "./rotation-history.tsx";
import { RotationPanel } from "./rotation-panel.tsx";
import type { Rotated } from "./rotation.queries.ts";
import { aRotation } from "./testing/a-rotation.ts";

const ID = "44444444-4444-4444-8444-444444444444";
const OF: Rotated = { kind: "account", id: ID, name: "root on web1" };
const LIST = `GET /api/v1/accounts/${ID}/rotations`;

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi();
});
afterEach(() => api.close());

const listed = (...rotations: Rotation[]) => ({ json: { rotations, next_cursor: null } });
const store = vi.fn<() => void>();

async function openPanel(rotation: Rotation | null, { mayRotate = true } = {}) {
  api.on(LIST, rotation === null ? listed() : listed(rotation));
  const view = renderScreen(<RotationPanel of={OF} mayRotate={mayRotate} remedies={{ store }} />);
  const panel = within(screen.getByRole("region", { name: "Rotation" }));
  await waitFor(() => expect(panel.queryByText("Loading...")).toBeNull());
  return { ...view, panel };
}

describe("the rotation panel", () => {
  test("distinguishes no rotation, an ended rotation and a failed load", async () => {
    const first = await openPanel(null);
    expect(first.panel.getByText("Never")).toBeTruthy();
    first.unmount();
    const ended = await openPanel(
      aRotation({ state: "rotated", step: "ended", ended_at: new Date(Date.now() - 3 * 60_000).toISOString() }),
    );
    expect(ended.panel.getByText("Rotated")).toBeTruthy();
    expect(ended.panel.getByText("3m ago")).toBeTruthy();
    ended.unmount();
    api.on(LIST, problem(500, "internal", "No"));
    renderScreen(<RotationPanel of={OF} mayRotate remedies={{}} />);
    expect(await screen.findByText("Failed to load rotations")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test.each<[RotationStep, string]>([
    ["planned", "New password stored"],
    ["sent", "Sent to the target"],
    ["doubtful", "Verified with a new login"],
    ["promoted", "Activated"],
  ])("shows a rotation at %s with the current step %s", async (step, label) => {
    const { panel } = await openPanel(aRotation({ step, message: "What happened last." }));
    const current = panel.getAllByRole("listitem").filter((item) => item.getAttribute("aria-current") === "step");
    expect(current.map((item) => item.textContent)).toEqual([label]);
    expect(panel.getByRole("status").textContent).toBe("What happened last.");
  });

  test("updates with each event", async () => {
    const rotation = aRotation({ secret_id: ID, is_account: true });
    const { panel } = await openPanel(rotation);
    const stop = connectLiveEvents({ userId: "somebody", onGap: () => undefined, sharing: null });
    api.on(LIST, listed({ ...rotation, step: "answered", message: "The new password is being proved." }));
    const data = {
      rotation_id: rotation.id,
      secret_id: ID,
      is_account: true,
      name: "x",
      state: "running",
      message: "",
    };
    await api.sendEvent({ id: "1", timestamp: new Date().toISOString(), type: "rotation.changed", data } as LiveEvent);
    expect(await panel.findByText("The new password is being proved.")).toBeTruthy();
    stop();
  });

  test("lets an authorised user cancel a rotation until its password is sent to the target", async () => {
    const rotation = aRotation({ step: "stored", state: "waiting", next_at: new Date().toISOString(), tries: 3 });
    const CANCEL = `POST /api/v1/rotations/${rotation.id}/cancel`;
    const only = await openPanel(rotation, { mayRotate: false });
    expect(only.panel.queryByRole("button")).toBeNull();
    only.unmount();
    const sent = await openPanel({ ...rotation, step: "sent" });
    expect(sent.panel.queryByRole("button")).toBeNull();
    sent.unmount();
    const { user, panel } = await openPanel(rotation);
    expect(panel.getByText(/Attempt 3\. Continues automatically at/)).toBeTruthy();
    const cancelled: Rotation = { ...rotation, state: "cancelled", step: "ended", ended_at: rotation.started_at };
    api.on(CANCEL, () => {
      api.on(LIST, listed(cancelled));
      return { json: cancelled };
    });
    await user.click(panel.getByRole("button", { name: "Cancel Rotation" }));
    expect(await screen.findByText('Rotation of "root on web1" cancelled')).toBeTruthy();
    expect(await panel.findByText("Cancelled")).toBeTruthy();
  });

  test("shows why a rotation is waiting for a person and how to resolve it, with only the permitted actions", async () => {
    const attention = aRotation({
      state: "attention",
      step: "doubtful",
      code: "both-refused",
      message: "web1 refused both.",
    });
    const only = await openPanel(attention, { mayRotate: false });
    expect(only.panel.getAllByRole("button").map((button) => button.textContent)).toEqual(["Store a Known Password"]);
    only.unmount();
    const { user, panel } = await openPanel(attention);
    expect(panel.getByRole("alert").textContent).toBe("web1 refused both.");
    await user.click(panel.getByRole("button", { name: "Store a Known Password" }));
    expect(store).toHaveBeenCalledOnce();
    api.on(`POST /api/v1/accounts/${ID}/rotate`, () => {
      api.on(LIST, listed({ ...attention, state: "running", code: null }));
      return { status: 202, json: { success: true, rotation_id: attention.id, message: "Trying again" } };
    });
    await user.click(panel.getByRole("button", { name: "Try Again" }));
    expect(await screen.findByText("Trying again")).toBeTruthy();
    await waitFor(() => expect(panel.queryByRole("alert")).toBeNull());
  });
});

describe("the rotation history", () => {
  test("shows why each rotation started or which user started it, and opens its journal on request", async () => {
    const scheduled = aRotation({ state: "rotated", step: "ended", because: "scheduled", message: "It is in force." });
    api.on(LIST, listed(scheduled));
    const journal = [
      { at: scheduled.started_at, step: "planned", message: "A new password is made up." },
      { at: scheduled.started_at, step: "promoted", message: "A fresh login proved it." },
    ];
    api.on(`GET /api/v1/rotations/${scheduled.id}`, { json: { ...scheduled, journal } });
    const { user } = renderScreen(<RotationHistory of={OF} />);
    const entry = within(await screen.findByRole("listitem"));
    expect(entry.getByText("Scheduled by the platform")).toBeTruthy();
    await user.click(entry.getByRole("button", { name: "Journal" }));
    const lines = within(await entry.findByRole("list", { name: "Journal" })).getAllByRole("listitem");
    expect(lines.map((line) => line.textContent?.replace(/^.*?[AP]M/, ""))).toEqual([
      "PlannedA new password is made up.",
      "ActivatedA fresh login proved it.",
    ]);
  });

  test("shows the journal of an open rotation, and an empty state", async () => {
    const rotation = aRotation();
    api.on(LIST, listed(rotation));
    api.on(`GET /api/v1/rotations/${rotation.id}`, problem(500, "internal", "No"));
    const first = renderScreen(<RotationHistory of={OF} />);
    expect(await screen.findByText("Failed to load the journal")).toBeTruthy();
    first.unmount();
    api.on(LIST, listed());
    renderScreen(<RotationHistory of={OF} />);
    expect(await screen.findByText("No rotations yet.")).toBeTruthy();
  });
});
