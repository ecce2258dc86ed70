import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { toast } from "#shared/ui/toast.ts";
import KeysTab from "./keys-tab.tsx";

const KEYS = "GET /api/v1/admin/keys";
const REKEY = "POST /api/v1/admin/keys/rekey";
const SIGNING = "POST /api/v1/admin/keys/signing";
const OLD = "0".repeat(32);
const NEW = "1".repeat(32);
const facts = (root_key_id: string, signing_key_since: string | null = null) => ({
  json: {
    is_sealed: false,
    provider: "key-file",
    root_key_id,
    root_key_since: "2026-11-01T08:00:00.000Z",
    keys: 12,
    signing_key_since,
    problem: null,
    rekey_obstacle: null,
  },
});

let api: TestApi;
beforeEach(async () => {
  toast.dismiss();
  signInForTest({ role: "admin" });
  api = await startApi({
    [KEYS]: facts(OLD),
    "GET /api/v1/seal": { json: { is_sealed: false, provider: "key-file" } },
  });
});
afterEach(() => api.close());

/** Requests the replacement and confirms it. */
async function replace(name: string) {
  const { user } = renderScreen(<KeysTab />);
  await user.click(await screen.findByRole("button", { name }));
  const dialog = within(await screen.findByRole("dialog", { name }));
  return { user, confirm: () => user.click(dialog.getByRole("button", { name: "Replace" })) };
}

test("replacing the root key after confirmation shows the new one", async () => {
  api.on(REKEY, () => {
    api.on(KEYS, facts(NEW));
    return facts(NEW);
  });
  const { confirm } = await replace("Replace the Root Key");
  expect(screen.getByText(OLD)).toBeTruthy();
  expect(api.requestsTo(REKEY)).toHaveLength(0);
  await confirm();
  expect(await screen.findByText("Root key replaced")).toBeTruthy();
  expect(await screen.findByText(NEW)).toBeTruthy();
  expect(api.requestsTo(REKEY)).toHaveLength(1);
});

test("replacing the signing key after confirmation shows its start date", async () => {
  const now = facts(OLD, new Date().toISOString());
  api.on(SIGNING, () => {
    api.on(KEYS, now);
    return now;
  });
  const { confirm } = await replace("Replace the Signing Key");
  expect(document.querySelectorAll("time")).toHaveLength(1);
  expect(api.requestsTo(SIGNING)).toHaveLength(0);
  await confirm();
  expect(await screen.findByText("Signing key replaced")).toBeTruthy();
  await expect.poll(() => document.querySelectorAll("time").length).toBe(2);
  expect(api.requestsTo(SIGNING)).toHaveLength(1);
});

test("a key that could not be replaced stays, and the reason is shown", async () => {
  api.on(REKEY, problem(500, "internal", "The key file cannot be written."));
  const { confirm } = await replace("Replace the Root Key");
  await confirm();
  expect(await screen.findByText(/The key file cannot be written\./)).toBeTruthy();
  expect(screen.getByText(OLD)).toBeTruthy();
});
