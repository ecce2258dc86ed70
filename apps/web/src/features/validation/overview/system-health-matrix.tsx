// "System Health Matrix": the health of each kind of system, with its own time range (VAL-11 to VAL-13, VAL-43).
import { SegmentedControl } from "@mantine/core";
import { IconServerOff } from "@tabler/icons-react";
import type { SystemHealthRow, ValidationRange } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { percent, toneOfRate } from "../figures.ts";
import { FirstFew } from "./first-few.tsx";
import classes from "./system-health-matrix.module.css";
import { systemLabel } from "#shared/runs/system-label.ts";
import { RANGE_CHOICES } from "../validation-address.ts";
import { systemHealth } from "../validation.queries.ts";

/** `range`: the initial range, from the page. */
export function SystemHealthMatrix({ range: initial }: { range: ValidationRange }) {
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
            <FirstFew label="Systems" items={systems}>
              {(row) => <Row key={row.system_type} row={row} />}
            </FirstFew>
          )
        }
      </Loaded>
    </SectionCard>
  );
}

function Row({ row }: { row: SystemHealthRow }) {
  const share = (count: number) => `${row.total_accounts === 0 ? 0 : (count / row.total_accounts) * 100}%`;
  return (
    <li className={classes.row}>
      <span className={classes.name}>{systemLabel(row.system_type)}</span>
      <span className={classes.counts}>
        {row.verified.toLocaleString()} verified · {row.rejected.toLocaleString()} rejected ·{" "}
        {(row.failed - row.rejected).toLocaleString()} not checked · {row.total_accounts.toLocaleString()} total
      </span>
      <span className={classes.rate}>
        <Tag tone={toneOfRate(row.success_rate) ?? "neutral"}>{percent(row.success_rate) ?? "No attempts"}</Tag>
      </span>
      <span className={classes.bar} aria-hidden>
        <span style={{ width: share(row.verified), backgroundColor: "var(--mantine-color-green-6)" }} />
        <span style={{ width: share(row.rejected), backgroundColor: "var(--mantine-color-red-6)" }} />
        <span style={{ width: share(row.failed - row.rejected), backgroundColor: "var(--mantine-color-orange-6)" }} />
      </span>
      <span className={classes.time}>
        <RelativeTime moment={row.last_validation} />
      </span>
    </li>
  );
}
