import { VERIFICATION_STATUSES } from "@strongroom/contract";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { VERIFICATION_COLORS, VerificationBadge } from "./verification-badge.tsx";

const lookOf = (status: Parameters<typeof VerificationBadge>[0]["status"]) => {
  const { container, unmount } = render(<VerificationBadge status={status} />);
  const tag = container.querySelector("[data-tone]");
  const look = { text: tag?.textContent, tone: tag?.getAttribute("data-tone"), title: tag?.getAttribute("title") };
  unmount();
  return look;
};

test.each([
  ["invalid", "rejected"],
  ["valid", "verified"],
  ["never_validated", "untested"],
  ["unknown", "untested"],
] as const)("OPEN-49: the status %s has the same badge as %s", (word, status) =>
  expect(lookOf(word)).toEqual(lookOf(status)),
);

test("rejected and unreachable differ in label, colour and explanation", () => {
  const [rejected, unreachable] = [lookOf("rejected"), lookOf("unreachable")];
  expect(rejected).toMatchObject({ text: "Rejected", tone: "danger" });
  expect(unreachable).toMatchObject({ text: "Unreachable", tone: "caution" });
  expect(rejected.title).not.toBe(unreachable.title);
  expect(new Set(VERIFICATION_STATUSES.map((status) => VERIFICATION_COLORS[status])).size).toBe(6);
});

test("a changed host key has its own label in the danger colour, not that of a wrong setting", () => {
  render(<VerificationBadge status="misconfigured" isHostKeyChanged />);
  expect(screen.queryByText("Misconfigured")).toBeNull();
  const tag = screen.getByText("Host key changed");
  expect([tag.dataset["tone"], tag.title]).toEqual([
    "danger",
    "The server was reinstalled, or someone is intercepting the connection. Nothing was sent to it.",
  ]);
});

test("every status has its own label", () => {
  expect(new Set(VERIFICATION_STATUSES.map((status) => lookOf(status).text)).size).toBe(VERIFICATION_STATUSES.length);
  expect(screen.queryByText("Verified")).toBeNull();
});
