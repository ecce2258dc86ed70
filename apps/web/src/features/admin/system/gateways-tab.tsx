// The session gateways: their state, and draining one before an upgrade.
import { Button } from "@mantine/core";
import { IconServer2, IconTerminal2 } from "@tabler/icons-react";
import type { Gateway } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge, type Status } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import { gatewayDrain, gateways } from "./system.queries.ts";

const LOOKS: Record<Gateway["status"], { status: Status; label: string }> = {
  ready: { status: "verified", label: "Ready" },
  draining: { status: "pending", label: "Draining" },
  blocked: { status: "failed", label: "Blocked" },
  lost: { status: "failed", label: "No heartbeat" },
};

export default function GatewaysTab() {
  const list = useQuery(gateways);
  return (
    <div className={classes.cards}>
      <SectionCard
        title="Session Gateways"
        description="Gateways connect users to targets. Drain one before an upgrade: its sessions continue, and new ones start elsewhere."
      >
        <Loaded query={list}>
          {({ gateways: found }) =>
            found.length === 0 ? (
              <EmptyState
                icon={IconTerminal2}
                title="No session gateway"
                text="A gateway runs alongside the server unless STRONGROOM_GATEWAY is 0."
              />
            ) : (
              <RowList label="Session gateways">
                {found.map((gateway) => (
                  <GatewayRow key={gateway.id} gateway={gateway} />
                ))}
              </RowList>
            )
          }
        </Loaded>
      </SectionCard>
    </div>
  );
}

function GatewayRow({ gateway }: { gateway: Gateway }) {
  const { name, address, zone, version, status, problem } = gateway;
  return (
    <Row
      icon={<IconServer2 size={18} aria-hidden />}
      isOver={status === "lost"}
      name={
        <>
          <span>{name}</span>
          <StatusBadge {...LOOKS[status]} />
        </>
      }
      actions={status !== "lost" && <Drain gateway={gateway} />}
    >
      <RowDetail>
        {`${counted(gateway.live_sessions, "live session")} · ${zone === null ? "No zone" : `Zone ${zone}`} · Version ${version}`}
      </RowDetail>
      <RowDetail>
        {address === null ? "Browsers only" : `SSH clients: ${address}`} · Heartbeat:{" "}
        <RelativeTime moment={gateway.heartbeat_at} />
      </RowDetail>
      {problem !== null && <RowDetail>{problem}</RowDetail>}
    </Row>
  );
}

function Drain({ gateway: { id, name, status } }: { gateway: Gateway }) {
  const { mutate, isPending } = useMutation(gatewayDrain(useQueryClient(), id));
  const isDraining = status === "draining";
  const label = isDraining ? "Accept Sessions" : "Drain";
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${label}: ${name}`}
      loading={isPending}
      onClick={() =>
        mutate(!isDraining, {
          onSuccess: ({ message }) => toast.success(message),
          onError: (error) => toast.error(messageOf(error), { title: `Failed to change ${name}` }),
        })
      }
    >
      {label}
    </Button>
  );
}
