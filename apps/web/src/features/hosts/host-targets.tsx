// The discovery targets of a host, each with its open findings.
import { Anchor } from "@mantine/core";
import type { DiscoveryTarget } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { counted } from "#shared/format/text.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { findingsOf } from "./hosts.queries.ts";

/** Nothing without a target, and for users who may not read discovery. */
export function HostTargets({ targets }: { targets: readonly DiscoveryTarget[] }) {
  if (targets.length === 0) return null;
  return (
    <SectionCard title="Discovery">
      <RowList label="Discovery targets">
        {targets.map((target) => (
          <Target key={target.id} target={target} />
        ))}
      </RowList>
    </SectionCard>
  );
}

function Target({ target }: { target: DiscoveryTarget }) {
  const findings = useQuery(findingsOf(target));
  const { last_scan: scan, last_enhanced_scan: enhanced } = target;
  return (
    <Row
      isOver={!target.is_active}
      name={
        <>
          <Anchor component={Link} to={paths.discoveryAt("targets", { search: target.name })} c="inherit" inherit>
            {target.name}
          </Anchor>
          {!target.is_active && <Tag>Not active</Tag>}
        </>
      }
    >
      <RowDetail>
        {scan === null ? (
          enhanced === null ? (
            "Never scanned"
          ) : (
            <>
              Scanned for secrets <RelativeTime moment={enhanced.completed_at} none="now" />
            </>
          )
        ) : (
          <>
            Scanned <RelativeTime moment={scan.completed_at} none="now" />
          </>
        )}
      </RowDetail>
      {scan !== null && scan.accounts_discovered !== null && (
        <RowDetail>{counted(scan.accounts_discovered, "account")} discovered</RowDetail>
      )}
      {findings.data !== undefined && (
        <RowDetail>
          {findings.data.total === 0 ? (
            "No open findings"
          ) : (
            <Anchor component={Link} to={paths.discoveryAt("findings", { search: target.hostname })} inherit>
              {counted(findings.data.total, "open finding")}
            </Anchor>
          )}
        </RowDetail>
      )}
    </Row>
  );
}
