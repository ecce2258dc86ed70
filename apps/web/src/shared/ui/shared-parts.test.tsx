import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { AuditTrailList, type AuditTrailEntry } from "#shared/audit/audit-trail-list.tsx";
import { CONFIRM_VARIANTS, ConfirmDialog } from "./confirm-dialog.tsx";
import { CLEAR_AFTER_MS, copySecret, copyText } from "./copy.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { BusyOverlay, PageLoading, SectionLoading } from "./loading.tsx";
import { MODAL_SIZES } from "./modal.tsx";
import { OfflineNotice } from "./offline-notice.tsx";
import { ErrorState, SampleDataNotice } from "./states.tsx";
import { ResultBadge, STATUSES, STATUS_OF_RESULT, StatusBadge } from "./status-badge.tsx";

describe("badges", () => {
  test("SHELL-36: the status badge has the statuses verified, failed, pending, expired, active and inactive", () => {
    renderScreen(
      <>
        {STATUSES.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </>,
    );
    for (const word of ["Verified", "Failed", "Pending", "Expired", "Active", "Inactive"])
      expect(screen.getByText(word)).toBeTruthy();
  });

  test("SHELL-37: success maps to verified, failure to failed, warning to pending, info to active", () => {
    expect(STATUS_OF_RESULT).toEqual({ success: "verified", failure: "failed", warning: "pending", info: "active" });
    renderScreen(<ResultBadge result="warning" />);
    expect(screen.getByText("Warning").dataset["tone"]).toBe("warning");
  });
});

test("SHELL-40, OPEN-35: the loading indicators have the specified default texts", () => {
  renderScreen(
    <>
      <PageLoading />
      <SectionLoading />
      <BusyOverlay />
    </>,
  );
  expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toEqual([
    "Securing Vault...",
    "Loading...",
    "Processing...",
  ]);
});

test("SHELL-39: modal sizes run from sm to 2xl, each wider than the one before", () => {
  expect(Object.keys(MODAL_SIZES)).toEqual(["sm", "md", "lg", "xl", "2xl"]);
  const widths = Object.values(MODAL_SIZES).map(Number.parseFloat);
  expect(widths).toEqual(widths.toSorted((a, b) => a - b));
});

test("OPEN-36: Confirm and Cancel are default labels, which a dialog can replace", () => {
  renderScreen(
    <ConfirmDialog opened title="Sure?" confirmLabel="Delete" cancelLabel="Keep" onConfirm={vi.fn()} onCancel={vi.fn()}>
      It happens.
    </ConfirmDialog>,
  );
  expect(
    screen.getAllByRole("button", { name: /^(Delete|Keep|Confirm|Cancel)$/ }).map((each) => each.textContent),
  ).toEqual(["Keep", "Delete"]);
});

test.each(CONFIRM_VARIANTS)("SHELL-38: the confirm dialog %s has Confirm and Cancel labels", async (variant) => {
  const onConfirm = vi.fn();
  const onCancel = vi.fn();
  const { user } = renderScreen(
    <ConfirmDialog opened variant={variant} title="Sure?" onConfirm={onConfirm} onCancel={onCancel}>
      It happens.
    </ConfirmDialog>,
  );
  expect(screen.getByRole("dialog", { name: "Sure?" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Confirm" }));
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect([onConfirm.mock.calls.length, onCancel.mock.calls.length]).toEqual([1, 1]);
});

describe("the audit trail list", () => {
  const entry: AuditTrailEntry = {
    id: "1",
    action: "Credential revealed",
    result: "success",
    summary: "The secret of db-1 was copied",
    metadata: { reason: "Night call", duration_ms: 12 },
    user: { name: "Dana" },
    timestamp: new Date(Date.now() - 5 * 60_000).toISOString(),
  };

  test('SHELL-29: has the title "Audit Trail" and the default empty text "No audit logs found"', () => {
    renderScreen(<AuditTrailList entries={[]} />);
    expect(screen.getByRole("heading", { name: "Audit Trail" })).toBeTruthy();
    expect(screen.getByText("No audit logs found")).toBeTruthy();
  });

  test("SHELL-30, SHELL-31, SHELL-32: shows action, result, summary, reason, user and a relative time", () => {
    renderScreen(<AuditTrailList entries={[entry]} />);
    const row = screen.getByRole("listitem");
    for (const text of [
      "Credential revealed",
      "Success",
      "The secret of db-1 was copied",
      "Reason: Night call",
      "Dana",
      "5m ago",
    ]) {
      expect(row.textContent).toContain(text);
    }
    expect(screen.getByText("5m ago").title).toContain(String(new Date().getFullYear()));
  });

  test('SHELL-33: "View details" opens the metadata', async () => {
    const { user } = renderScreen(<AuditTrailList entries={[entry]} />);
    const toggle = screen.getByRole("button", { name: /View details/ });
    expect(toggle.getAttribute("aria-expanded")).toBe("false");
    await user.click(toggle);
    expect(toggle.getAttribute("aria-expanded")).toBe("true");
    expect(screen.getByText("Duration").nextElementSibling?.textContent).toBe("12 ms");
  });

  test("SHELL-35: shows the parts of an object summary, and no details without metadata", () => {
    renderScreen(
      <AuditTrailList entries={[{ ...entry, summary: { old_role: "user", new_role: "admin" }, metadata: {} }]} />,
    );
    expect(screen.getByText("Old role: user · New role: admin")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("copying", () => {
  let clipboard: string;
  beforeEach(() => {
    clipboard = "";
    vi.useFakeTimers();
    Object.defineProperty(navigator, "clipboard", {
      configurable: true,
      value: {
        writeText: async (text: string) => void (clipboard = text),
        readText: async () => clipboard,
      },
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    Reflect.deleteProperty(navigator, "clipboard");
  });

  test("a copied secret is cleared from the clipboard after 30 seconds", async () => {
    await copySecret("s3cret-value");
    await vi.advanceTimersByTimeAsync(CLEAR_AFTER_MS - 1);
    expect(clipboard).toBe("s3cret-value");
    await vi.advanceTimersByTimeAsync(1);
    expect(clipboard).toBe("");
  });

  test("a text copied later is not cleared", async () => {
    await copySecret("s3cret-value");
    await copyText("my own text");
    await vi.advanceTimersByTimeAsync(CLEAR_AFTER_MS);
    expect(clipboard).toBe("my own text");
  });

  test("a browser without a clipboard reports an error", async () => {
    Reflect.deleteProperty(navigator, "clipboard");
    await expect(copySecret("s3cret-value")).rejects.toThrow("HTTPS");
  });
});

test("ERR-01: an error page for a bare status says what to do next", () => {
  renderScreen(<ErrorState message="500 Internal Server Error" />);
  expect(screen.getByText(/Try again in a moment.*ask an administrator/)).toBeTruthy();
});

test("the error state offers Retry", async () => {
  const onRetry = vi.fn();
  const { user } = renderScreen(<ErrorState message="It failed" onRetry={onRetry} />);
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(onRetry).toHaveBeenCalledOnce();
});

test("sample figures show a notice that marks them as samples", () => {
  renderScreen(<SampleDataNotice />);
  expect(screen.getByText("Sample data: the server could not be reached")).toBeTruthy();
});

test("a screen that throws shows an error with a retry", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  let isBroken = true;
  const Fragile = () => {
    if (isBroken) throw new Error("boom");
    return <p>fine</p>;
  };
  const { user } = renderScreen(
    <ErrorBoundary>
      <Fragile />
    </ErrorBoundary>,
  );
  expect(screen.getByRole("alert").textContent).toContain("Something went wrong on this page.");
  isBroken = false;
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(screen.getByText("fine")).toBeTruthy();
});

test("the offline notice shows and hides with the network", () => {
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
  renderScreen(<OfflineNotice />);
  expect(screen.queryByText(/You are offline/)).toBeNull();
  online.mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event("offline")));
  expect(screen.getByText(/You are offline/)).toBeTruthy();
  online.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event("online")));
  expect(screen.queryByText(/You are offline/)).toBeNull();
});
