// "System Health Matrix": how each kind of system stands, over a range of its own (VAL-11 to VAL-13, VAL-43).
import { SegmentedControl } from "@mantine/core";
import { IconServerOff } from "@tabler/icons-react";
import type { SystemHealthRow, ValidationRange } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { percent, toneOfRate } from "./figures.ts";
import classes from "./system-health-matrix.module.css";
import { systemLabel } from "./system-label.ts";
import { RANGE_CHOICES } from "./validation-address.ts";
import { systemHealth } from "./validation.queries.ts";

export interface SystemHealthMatrixProps {
  /** The page's, with which it begins. */
  range: ValidationRange;
  /** So many rows until somebody wants all. */
  first: number;
}

export function SystemHealthMatrix({ range: initial, first }: SystemHealthMatrixProps) {
  const [chosen, setChosen] = useState<ValidationRange | null>(null);
  const range = chosen ?? initial;
  const query = useQuery(systemHealth(range));
  return (
    <SectionCard
      title="System Health Matrix"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time range of the matrix"
          data={RANGE_CHOICES}
          value={range}
          onChange={setChosen}
        />
      }
    >
      <Loaded query={query}>
        {({ systems }) =>
          systems.length === 0 ? (
            <EmptyState icon={IconServerOff} title="No system health data available" />
          ) : (
            <Rows systems={systems} first={first} />
          )
        }
      </Loaded>
    </SectionCard>
  );
}

function Rows({ systems, first }: { systems: readonly SystemHealthRow[]; first: number }) {
  const id = useId();
  const [isWhole, setIsWhole] = useState(false);
  return (
    <>
      <ul className={classes.rows} id={id} aria-label="Systems">
        {(isWhole ? systems : systems.slice(0, first)).map((row) => (
          <Row key={row.system_type} row={row} />
        ))}
      </ul>
      {systems.length > first && (
        <DisclosureButton
          label={isWhole ? "Show fewer" : `Show all ${systems.length}`}
          isOpen={isWhole}
          onChange={setIsWhole}
          controls={id}
        />
      )}
    </>
  );
}

function Row({ row }: { row: SystemHealthRow }) {
  const share = (count: number) => `${row.total_accounts === 0 ? 0 : (count / row.total_accounts) * 100}%`;
  return (
    <li className={classes.row}>
      <span className={classes.name}>{systemLabel(row.system_type)}</span>
      <span className={classes.counts}>
        {row.verified.toLocaleString()} verified · {row.failed.toLocaleString()} failed ·{" "}
        {row.total_accounts.toLocaleString()} in all
      </span>
      <span className={classes.rate}>
        <Tag tone={toneOfRate(row.success_rate) ?? "neutral"}>{percent(row.success_rate) ?? "Not tried"}</Tag>
      </span>
      <span className={classes.bar} aria-hidden>
        <span style={{ width: share(row.verified), backgroundColor: "var(--mantine-color-green-6)" }} />
        <span style={{ width: share(row.failed), backgroundColor: "var(--mantine-color-red-6)" }} />
      </span>
      <span className={classes.time}>
        <RelativeTime moment={row.last_validation} />
      </span>
    </li>
  );
}
