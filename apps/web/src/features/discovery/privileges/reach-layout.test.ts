// Tests of the positions of nodes in the diagram.
import type { ReachNode } from "@strongroom/contract";
import { expect, test } from "vitest";
import { BOX, MOST_DRAWN, layOut } from "./reach-layout.ts";

const aNode = (id: string, from: string | null, distance: number): ReachNode => ({
  id,
  from,
  distance,
  kind: "account",
  label: id,
  hostname: "web1",
  target_id: null,
  account_id: null,
  accounts: null,
  reason: null,
  needs_password: false,
});

test("each step has its own column, and no two boxes overlap", () => {
  const nodes = [
    aNode("start", null, 0),
    ...["a", "b", "c"].map((id) => aNode(id, "start", 1)),
    ...["d", "e"].map((id) => aNode(id, "b", 2)),
  ];
  const { placed, edges, width, height } = layOut(nodes);
  expect(edges.map(({ from, to }) => `${from.node.id}${to.node.id}`)).toEqual([
    "starta",
    "startb",
    "startc",
    "bd",
    "be",
  ]);
  for (const one of placed) {
    expect(one.x + BOX.width).toBeLessThanOrEqual(width);
    expect(one.y + BOX.height).toBeLessThanOrEqual(height);
    for (const other of placed) {
      if (one === other) continue;
      const isApart = one.x !== other.x || Math.abs(one.y - other.y) >= BOX.height;
      expect(isApart).toBe(true);
    }
  }
});

test("draws the nearest nodes of a large search", () => {
  const nodes = [aNode("start", null, 0), ...Array.from({ length: 500 }, (_, each) => aNode(`n${each}`, "start", 1))];
  expect(layOut(nodes).placed).toHaveLength(MOST_DRAWN);
});

test("an empty search has no diagram", () => {
  expect(layOut([]).placed).toEqual([]);
});
