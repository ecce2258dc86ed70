import { describe, expect, test } from "vitest";
import { periodText, startChoices, startLimits } from "./start-choices.ts";

const at = (text: string) => new Date(text).getTime();

describe("the starts of a request", () => {
  test("are this evening and the next Saturday night", () => {
    // A Wednesday.
    expect(startChoices(at("2026-11-25T15:00"))).toEqual([
      { label: "Immediately", value: "" },
      { label: "Tonight", value: "2026-11-25T22:00" },
      { label: "Saturday night", value: "2026-11-28T22:00" },
    ]);
  });

  test("are never in the past", () => {
    expect(startChoices(at("2026-11-25T22:30")).map(({ value }) => value)).toEqual([
      "",
      "2026-11-26T22:00",
      "2026-11-28T22:00",
    ]);
    // On a Saturday night, the next one is a week away.
    expect(startChoices(at("2026-11-28T23:00")).at(-1)?.value).toBe("2026-12-05T22:00");
  });

  test("do not name the same evening twice", () => {
    expect(startChoices(at("2026-11-28T10:00")).map(({ label }) => label)).toEqual(["Immediately", "Tonight"]);
  });

  test("are limited to the next 30 days", () => {
    expect(startLimits(at("2026-11-25T15:00"))).toEqual({ min: "2026-11-25T15:00", max: "2026-12-25T15:00" });
  });

  test("form a period with a time zone when combined with a duration", () => {
    expect(periodText("2026-11-28T22:00", 240)).toMatch(/Nov 28, 2026.* to .*Nov 29, 2026.* \(.+\)$/);
    expect(periodText("", 60)).toBeNull();
  });
});
