import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { anAttempt } from "../testing/figures.ts";
import { AttemptTable } from "./attempt-table.tsx";

const list = {
  hasNextPage: false,
  isFetching: false,
  isFetchNextPageError: false,
  fetchNextPage: () => Promise.resolve(),
};

test("VAL-24: an attempt shows its secret, result, message, time and user in a row", () => {
  const attempt = anAttempt(1);
  renderScreen(<AttemptTable attempts={[attempt]} list={list} />);
  const row = within(screen.getAllByRole("row")[1]!);
  expect(row.getByRole("link").textContent).toBe(attempt.account_name);
  expect(row.getAllByRole("cell")).toHaveLength(7);
});

test("without attempts, says so", () => {
  renderScreen(<AttemptTable attempts={[]} list={list} />);
  expect(screen.getByText("No validation attempts found")).toBeTruthy();
});
