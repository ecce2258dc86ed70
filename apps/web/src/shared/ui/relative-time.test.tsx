// Tests of times in the future.
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { ComingTime } from "./relative-time.tsx";

const HOUR = 3_600_000;
const inMs = (ahead: number) => new Date(Date.now() + ahead).toISOString();

test.each([
  ["the time of day", 48 * HOUR, /\d{1,2}:\d{2}/],
  ["the date with its year", 400 * 24 * HOUR, /\b20\d\d\b/],
])("a time in the future is shown as %s, not as just now", (_what, ahead, expected) => {
  const moment = inMs(ahead);
  renderScreen(<ComingTime moment={moment} />);
  const shown = screen.getByText(expected);
  expect(shown.getAttribute("datetime")).toBe(moment);
  expect(shown.textContent).not.toContain("now");
});
