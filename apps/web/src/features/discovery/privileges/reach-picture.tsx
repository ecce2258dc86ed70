// The diagram of a search: accounts, keys and systems as a tree from left to right.
import type { ReachNode } from "@strongroom/contract";
import classes from "./privileges.module.css";
import { BOX, MOST_DRAWN, layOut } from "./reach-layout.ts";

/** The table below contains the same steps as text. */
export function ReachPicture({ nodes, label }: { nodes: readonly ReachNode[]; label: string }) {
  const { placed, edges, width, height } = layOut(nodes);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide diagram scrolls, also by keyboard */}
      <div className={classes.picture} role="region" aria-label="Diagram of the paths" tabIndex={0}>
        <svg role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
          {edges.map(({ from, to }) => (
            <path
              key={to.node.id}
              className={to.node.needs_password ? classes.weakEdge : classes.edge}
              d={curve(from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2)}
            />
          ))}
          {placed.map(({ node, x, y }) => (
            <g key={node.id} transform={`translate(${x} ${y})`}>
              <title>{node.reason ?? "Start"}</title>
              <rect className={classes[node.kind]} width={BOX.width} height={BOX.height} rx={6} />
              <text className={classes.label} x={10} y={18}>
                {shortened(node.label, 24)}
              </text>
              <text className={classes.note} x={10} y={35}>
                {shortened(noteOf(node), 30)}
              </text>
            </g>
          ))}
        </svg>
      </div>
      {nodes.length > MOST_DRAWN && (
        <p
          className={classes.hint}
        >{`The diagram shows the first ${MOST_DRAWN} of ${nodes.length.toLocaleString()} steps.`}</p>
      )}
    </>
  );
}

/** The width of a box in characters. */
const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function noteOf({ kind, hostname, accounts }: ReachNode): string {
  if (kind === "key") return "SSH key";
  if (kind === "control") return `${hostname}: ${(accounts ?? 0).toLocaleString()} accounts`;
  return hostname ?? "";
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`;
}
