import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { SessionSecurityCard } from "./session-security-card.tsx";
import { readSettings } from "./session-settings.ts";

const optionsOf = (label: string) =>
  [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ value }) => Number(value));

test("DEMO-08, DEMO-09: the card offers the specified timeouts and warnings with their defaults", () => {
  renderScreen(<SessionSecurityCard />);
  expect(optionsOf("Session timeout")).toEqual([15, 30, 60, 120, 240]);
  expect(optionsOf("Warning before timeout")).toEqual([2, 5, 10]);
  expect(screen.getByLabelText("Session timeout")).toHaveProperty("value", "30");
  expect(screen.getByLabelText("Warning before timeout")).toHaveProperty("value", "5");
});

test("DEMO-07: saving stores minutes in local storage under sessionSettings", async () => {
  const { user } = renderScreen(<SessionSecurityCard />);
  await user.selectOptions(screen.getByLabelText("Session timeout"), "60");
  await user.selectOptions(screen.getByLabelText("Warning before timeout"), "10");
  await user.click(screen.getByRole("button", { name: "Save Session Settings" }));
  expect(JSON.parse(localStorage.getItem("sessionSettings")!)).toEqual({ timeout: 60, warningTime: 10 });
  expect(await screen.findByText("Session settings saved")).toBeTruthy();
});

test.each(["", "garbage", "{}", '{"timeout":1,"warningTime":5}', '{"timeout":30,"warningTime":30}'])(
  "a stored value that is not offered is ignored: %j",
  (text) => {
    localStorage.setItem("sessionSettings", text);
    expect(readSettings()).toBeNull();
  },
);
