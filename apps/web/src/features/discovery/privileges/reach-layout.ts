// Places the nodes of a search as a tree from left to right: one column for each step. Pure.
import type { ReachNode } from "@strongroom/contract";

interface PlacedNode {
  node: ReachNode;
  x: number;
  y: number;
}

export interface Layout {
  placed: PlacedNode[];
  edges: { from: PlacedNode; to: PlacedNode }[];
  width: number;
  height: number;
}

/** A diagram with more nodes would not be readable; the table has them all. */
export const MOST_DRAWN = 60;

export const BOX = { width: 190, height: 44 } as const;
const GAP = { x: 56, y: 14 } as const;
const MARGIN = 8;

/** Places a node at the middle height of the nodes after it. Nodes come with their predecessors first. */
export function layOut(nodes: readonly ReachNode[]): Layout {
  const drawn = nodes.slice(0, MOST_DRAWN);
  const after = Map.groupBy(drawn, ({ from }) => from);
  const byId = new Map<string, PlacedNode>();
  let nextY = MARGIN;
  const place = (node: ReachNode, depth: number): PlacedNode => {
    const children = (after.get(node.id) ?? []).map((child) => place(child, depth + 1));
    const [first, last] = [children[0], children.at(-1)];
    let y = nextY;
    if (first === undefined || last === undefined) nextY += BOX.height + GAP.y;
    else y = (first.y + last.y) / 2;
    const placed = { node, x: MARGIN + depth * (BOX.width + GAP.x), y };
    byId.set(node.id, placed);
    return placed;
  };
  for (const start of after.get(null) ?? []) place(start, 0);
  const placed = drawn.flatMap(({ id }) => byId.get(id) ?? []);
  const edges = placed.flatMap((to) => {
    const from = to.node.from === null ? undefined : byId.get(to.node.from);
    return from === undefined ? [] : [{ from, to }];
  });
  return {
    placed,
    edges,
    width: Math.max(0, ...placed.map(({ x }) => x)) + BOX.width + MARGIN,
    height: Math.max(0, ...placed.map(({ y }) => y)) + BOX.height + MARGIN,
  };
}
