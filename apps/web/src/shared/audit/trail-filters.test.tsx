import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { firstDay } from "./audit-filter.ts";
import { TrailFilters } from "./trail-filters.tsx";

test("a period sets the start date and clears the end date", async () => {
  const { user, router } = renderScreen(<TrailFilters />, { at: "/audit-logs?to=2026-01-01" });
  await user.click(screen.getByRole("button", { name: "7 days" }));
  const params = new URLSearchParams(router.state.location.search);
  expect([params.get("from"), params.get("to")]).toEqual([firstDay(7, new Date()), null]);
});

test("a period of 7 days begins 6 days before today", () => {
  expect(firstDay(7, new Date(2026, 2, 3))).toBe("2026-02-25");
  expect(firstDay(1, new Date(2026, 2, 3))).toBe("2026-03-03");
});
