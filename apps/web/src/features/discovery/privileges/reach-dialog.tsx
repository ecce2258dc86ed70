// The graph around a key or an account, as a diagram and as a table.
import { SegmentedControl, Stack, Table } from "@mantine/core";
import type { ReachNode, ReplyOf, readBlastRadius } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./privileges.module.css";
import { reachOf, type Direction, type ReachStart } from "./privileges.queries.ts";
import { ReachPicture } from "./reach-picture.tsx";

interface ReachDialogProps extends DialogProps {
  start: ReachStart;
  name: string;
}

const DIRECTIONS = [
  { value: "reaches", label: "Blast radius" },
  { value: "reached_by", label: "Reached by" },
];

export function ReachDialog({ start, name, ...props }: ReachDialogProps) {
  const [direction, setDirection] = useState<Direction>("reaches");
  const query = useQuery({ ...reachOf(start, direction), enabled: props.opened });
  return (
    <Modal {...props} title={`Paths of ${name}`} size="2xl" isOnTop>
      <Stack gap="sm" align="stretch">
        <SegmentedControl
          aria-label="Direction"
          style={{ alignSelf: "start" }}
          data={DIRECTIONS}
          value={direction}
          onChange={(next) => setDirection(next as Direction)}
        />
        <Loaded query={query}>{(reach) => <Reach reach={reach} direction={direction} name={name} />}</Loaded>
      </Stack>
    </Modal>
  );
}

interface ReachProps {
  reach: ReplyOf<typeof readBlastRadius>;
  direction: Direction;
  name: string;
}

function Reach({ reach: { nodes, systems, accounts, is_complete }, direction, name }: ReachProps) {
  const isForward = direction === "reaches";
  const summary = isForward
    ? `${name} reaches ${counted(accounts, "account")} and full control of ${counted(systems, "system")}.`
    : `${counted(nodes.length - 1, "step")} can lead to ${name}.`;
  if (nodes.length <= 1) {
    const text = isForward
      ? `${name} reaches no other account that scans know of.`
      : `Nothing that scans know of leads to ${name}.`;
    return <p className={classes.explanation}>{text}</p>;
  }
  return (
    <>
      <p className={classes.explanation}>
        {summary}
        {!is_complete && " There are more: the search ended at its limit."}
      </p>
      <ReachPicture nodes={nodes} label={summary} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide table scrolls, also by keyboard */}
      <div className={classes.table} role="region" aria-label="Table of the paths" tabIndex={0}>
        <Table aria-label="Steps">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Step</Table.Th>
              <Table.Th>Reaches</Table.Th>
              <Table.Th>System</Table.Th>
              <Table.Th>Because</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {nodes.slice(1).map((node) => (
              <Table.Tr key={node.id}>
                <Table.Td>{node.distance}</Table.Td>
                <Table.Td>
                  {node.label} {node.kind === "control" && <Tag tone="danger">Full control</Tag>}
                  {node.kind === "key" && <Tag tone="warning">Key</Tag>}
                </Table.Td>
                <Table.Td>{node.hostname ?? "–"}</Table.Td>
                <Table.Td>{becauseOf(node, nodes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}

function becauseOf({ from, reason, needs_password }: ReachNode, nodes: readonly ReachNode[]): string {
  const before = nodes.find(({ id }) => id === from)?.label ?? "";
  return `${before}: ${reason ?? ""}${needs_password ? " (needs a password)" : ""}`;
}
