import type { Outcome } from "@strongroom/contract";
import { expect, test } from "vitest";
import type { LoggedEvent } from "#shared/events/event-log.ts";
import { describeEvent, worthShowing } from "./describe-event.ts";

const base = { id: "1", timestamp: "2026-01-01T00:00:00.000Z" };
const id = "33333333-3333-4333-8333-333333333333";

const verified = (outcome: Outcome, isAlarm = false) =>
  ({
    ...base,
    type: "verification.completed",
    data: { credential_id: id, name: "db-1", outcome, message: "m", is_alarm: isAlarm },
  }) as LoggedEvent;

test.each([
  ["verified", "success"],
  ["rejected", "danger"],
  ["unreachable", "warning"],
  ["misconfigured", "warning"],
  ["unsupported", "neutral"],
] as const)("the outcome %s has the tone %s, and only a rejected secret is a danger", (outcome, tone) =>
  expect(describeEvent(verified(outcome))).toMatchObject({ tone, link: `/vault/${id}` }),
);

test("a changed host key is critical whatever the outcome", () =>
  expect(describeEvent(verified("misconfigured", true))).toMatchObject({
    tone: "danger",
    title: "Alarm: the host key of db-1 changed",
  }));

test("only a run's newest report is shown", () => {
  const report = (eventId: string, run: string, done: number) =>
    ({
      ...base,
      id: eventId,
      type: "verification.run-progressed",
      data: { run_id: run, total: 9, done, is_completed: false },
    }) as LoggedEvent;
  const events = [
    report("4", "a", 9),
    report("3", "b", 1),
    verified("verified"),
    report("2", "a", 5),
    report("1", "a", 1),
  ];
  expect(worthShowing(events).map((event) => event.id)).toEqual(["4", "3", "1"]);
});
