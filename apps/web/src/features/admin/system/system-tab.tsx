// System health: problems, versions, database, disk and active processes.
import type { ServerProcess, SystemFacts } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { inBytes } from "#shared/format/size.ts";
import { capitalised, counted } from "#shared/format/text.ts";
import { duration } from "#shared/format/time.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "#shared/ui/admin-console.module.css";
import { systemFacts } from "./system.queries.ts";

export default function SystemTab() {
  const system = useQuery(systemFacts);
  return (
    <Loaded query={system}>
      {(facts) => (
        <div className={classes.cards}>
          <SectionCard title="Health" description={facts.health.summary}>
            <Checks facts={facts} />
          </SectionCard>
          <SectionCard title="System Information">
            <Facts facts={factsOf(facts)} />
          </SectionCard>
          <SectionCard title="Processes" description="Servers active within the last minute">
            <Processes processes={facts.processes} />
          </SectionCard>
        </div>
      )}
    </Loaded>
  );
}

const BADGES = { ok: "verified", warning: "pending", failing: "failed" } as const;

function Checks({ facts: { health } }: { facts: SystemFacts }) {
  return (
    <ul className={classes.findings}>
      {health.checks.map(({ name, state, message }) => (
        <li key={name}>
          <StatusBadge status={BADGES[state]} label={capitalised(name)} />
          <span>{state === "ok" ? "OK" : message}</span>
        </li>
      ))}
    </ul>
  );
}

function factsOf({ version, node, uptime, database, disk, audit, is_mail_configured: hasMail }: SystemFacts) {
  return [
    { name: "Strongroom", value: version },
    { name: "Node", value: node },
    { name: "Uptime", value: duration(uptime) },
    {
      name: "Database",
      value: `PostgreSQL ${database.version}, ${database.kind === "embedded" ? "embedded" : "external"}`,
    },
    { name: "Database size", value: inBytes(database.size_bytes) },
    { name: "Connections", value: `${database.connections} of ${database.max_connections}` },
    {
      name: "Disk",
      value: disk === null ? "Unknown" : `${inBytes(disk.free_bytes)} of ${inBytes(disk.total_bytes)} free`,
    },
    { name: "Mail server", value: hasMail ? "Configured" : "Not configured" },
    { name: "Audit trail", value: waitingIn(audit) },
  ];
}

const waitingIn = ({ waiting, oldest_at: since }: SystemFacts["audit"]) =>
  waiting === 0 ? (
    "No pending entries"
  ) : (
    <>
      {counted(waiting, "pending entry", "pending entries")} since <RelativeTime moment={since} />
    </>
  );

function Processes({ processes }: { processes: readonly ServerProcess[] }) {
  return (
    <RowList label="Processes">
      {processes.map((each) => (
        <Row
          key={`${each.host} ${each.pid}`}
          name={
            <>
              <span>
                {each.host} · {each.pid}
              </span>
              {each.is_this && <Tag>This server</Tag>}
              {each.is_sealed && <Tag tone="warning">Sealed</Tag>}
            </>
          }
        >
          <RowDetail>
            Version {each.version} · Started: <RelativeTime moment={each.started_at} /> · Last seen:{" "}
            <RelativeTime moment={each.seen_at} />
          </RowDetail>
        </Row>
      ))}
    </RowList>
  );
}
