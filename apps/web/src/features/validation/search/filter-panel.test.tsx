import { VERIFICATION_CAUSES } from "@strongroom/contract";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { FilterPanel } from "./filter-panel.tsx";
import { EMPTY_FILTER } from "../validation-address.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    "GET /api/v1/validation/filters": {
      json: {
        system_types: [
          { value: "linux", label: "Linux" },
          { value: "mysql", label: "MySQL" },
        ],
        connection_methods: ["SSH", "SQL"],
        verification_methods: [{ value: "ssh", label: "Linux (SSH)" }],
      },
    },
  });
});
afterEach(() => api.close());

function openPanel() {
  const onApply = vi.fn();
  renderScreen(<FilterPanel applied={EMPTY_FILTER} onApply={onApply} onClear={() => undefined} />);
  return onApply;
}

/** Opens a field and returns its options. */
async function optionsOf(label: string, count: number): Promise<HTMLElement[]> {
  const field = screen.getByRole("combobox", { name: label });
  fireEvent.click(field);
  const list = () => document.getElementById(field.getAttribute("aria-controls") ?? "");
  await waitFor(() => expect(list()?.querySelectorAll("[role=option]")).toHaveLength(count));
  return [...(list()?.querySelectorAll<HTMLElement>("[role=option]") ?? [])];
}

test("FILTER-02 to FILTER-05, FILTER-07: every field offers its options and filters by the chosen ones", async () => {
  const onApply = openPanel();
  fireEvent.change(screen.getByLabelText("Text"), { target: { value: "batch" } });
  const fields = [
    [
      "Validation status",
      ["Verified", "Pending", "Failed", "Rejected", "Unreachable", "Misconfigured", "Untested"],
      ["Failed", "Untested"],
    ],
    ["JIT association", ["Active", "Expired", "None", "Any"], ["Expired", "None"]],
    ["System types", ["Linux", "MySQL"], ["Linux", "MySQL"]],
    ["Connection methods", ["SSH", "SQL"], ["SQL"]],
  ] as const;
  for (const [label, choices, chosen] of fields) {
    const options = await optionsOf(label, choices.length);
    expect(options.map(({ textContent }) => textContent)).toEqual(choices);
    for (const option of options) {
      if ((chosen as readonly string[]).includes(option.textContent)) fireEvent.click(option);
    }
  }
  const method = (await optionsOf("Verification methods", 1))[0]!;
  expect(method.textContent).toBe("Linux (SSH)");
  fireEvent.click(method);
  const cause = (await optionsOf("Cause of the failure", VERIFICATION_CAUSES.length)).find(
    ({ textContent }) => textContent === "The DNS name does not resolve",
  )!;
  fireEvent.click(cause);
  fireEvent.click(screen.getByLabelText("Rotation stopped"));
  fireEvent.click(screen.getByLabelText("Not compliant"));
  fireEvent.click(screen.getByLabelText("Critical failures only"));
  fireEvent.click(screen.getByLabelText("Recent failures (24h)"));
  expect(onApply).not.toHaveBeenCalled();
  fireEvent.click(screen.getByText("Apply Filters"));
  expect(onApply.mock.calls).toEqual([
    [
      {
        ...EMPTY_FILTER,
        text: "batch",
        statuses: ["failed", "never_validated"],
        jit: ["expired", "none"],
        system_types: ["linux", "mysql"],
        connection_methods: ["SQL"],
        verification_methods: ["ssh"],
        causes: ["dns-failure"],
        rotation_stopped: true,
        not_compliant: true,
        critical_only: true,
        recent_failures: true,
      },
    ],
  ]);
});

test("FILTER-08: Collapse hides the fields and Expand shows them again", () => {
  openPanel();
  const fields = () => screen.queryByRole("form", { name: "Advanced search" });
  expect(fields()).not.toBeNull();
  fireEvent.click(screen.getByText("Collapse"));
  expect(fields()).toBeNull();
  fireEvent.click(screen.getByText("Expand"));
  expect(fields()).not.toBeNull();
});
