// The hosts that a range scan found. A service of a known type becomes a target with one click, by the scan's rule, or
// through the target form.
import { Button, Select, Stack } from "@mantine/core";
import { IconCheck, IconPlus, IconServer2 } from "@tabler/icons-react";
import {
  DISCOVERY_DEFAULTS,
  FoundServiceProtocol,
  type DiscoveryHost,
  type DiscoveryTargetType,
  type RangeScan,
} from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { targetCreation } from "../discovery.queries.ts";
import { CreateTargetDialog } from "../targets/target-dialog.tsx";
import { EMPTY_TARGET, type TargetFormValues } from "../targets/target-form-values.ts";
import { PROTOCOL_LABELS } from "./protocol-labels.ts";
import { hostList } from "./ranges.queries.ts";

type Service = DiscoveryHost["services"][number];

export function HostsDialog({ scan, ...props }: DialogProps & { scan: RangeScan }) {
  const [protocol, setProtocol] = useState<FoundServiceProtocol | undefined>(undefined);
  const list = useInfiniteQuery({ ...hostList(scan.id, protocol), enabled: props.opened });
  const [prefilled, setPrefilled] = useState<TargetFormValues | null>(null);
  return (
    <>
      <Modal {...props} title={`Hosts of ${scan.name}`} size="lg" isShort>
        <Stack gap="md">
          <Select
            label="Protocol"
            data={[
              { value: "", label: "All protocols" },
              ...FoundServiceProtocol.options.map((value) => ({ value, label: PROTOCOL_LABELS[value] })),
            ]}
            value={protocol ?? ""}
            allowDeselect={false}
            onChange={(value) => setProtocol(FoundServiceProtocol.safeParse(value).data)}
          />
          <Loaded query={list}>
            {({ pages }) => {
              const hosts = pages.flatMap(({ data }) => data);
              if (hosts.length === 0) {
                return <EmptyState icon={IconServer2} title="No hosts" text="No host of this scan listens there." />;
              }
              return (
                <>
                  <RowList label="Hosts">
                    {hosts.map((host) => (
                      <HostRow key={host.id} host={host} scan={scan} onPrefilled={setPrefilled} />
                    ))}
                  </RowList>
                  <LoadMore of={list} />
                </>
              );
            }}
          </Loaded>
        </Stack>
      </Modal>
      <CreateTargetDialog
        key={`${prefilled?.hostname}:${prefilled?.port}`}
        initial={prefilled ?? EMPTY_TARGET}
        opened={prefilled !== null}
        onClose={() => setPrefilled(null)}
        isOnTop
      />
    </>
  );
}

interface HostRowProps {
  host: DiscoveryHost;
  scan: RangeScan;
  onPrefilled: (values: TargetFormValues) => void;
}

function HostRow({ host, scan, onPrefilled }: HostRowProps) {
  return (
    <Row icon={<IconServer2 size={18} aria-hidden />} name={<span>{host.address}</span>}>
      {host.services.map((service) => (
        <ServiceLine key={service.port} service={service} host={host} scan={scan} onPrefilled={onPrefilled} />
      ))}
    </Row>
  );
}

function ServiceLine({ service, host, scan, onPrefilled }: HostRowProps & { service: Service }) {
  const { mutate, isPending } = useMutation(targetCreation(useQueryClient()));
  const { port, protocol, banner, host_key: key, certificate, target_type: type, target_id: targetId } = service;
  const name = `${host.address}:${port}`;
  const credential = scan.credentials.find(({ target_type }) => target_type === type);

  function add(targetType: DiscoveryTargetType): void {
    if (credential === undefined) {
      const safe = { value: scan.safe_id, label: scan.safe_name };
      onPrefilled({
        ...EMPTY_TARGET,
        name,
        targetType,
        safe,
        hostname: host.address,
        port: String(port),
        hostKey: key,
      });
      return;
    }
    const body = {
      name,
      description: null,
      targetType,
      connectionMethod: DISCOVERY_DEFAULTS[targetType].method,
      hostname: host.address,
      credentialId: credential.credential_id,
      safeId: scan.safe_id,
      settings: { port },
      hostKey: key,
    };
    mutate(body, {
      onSuccess: () => toast.success("Discovery target created successfully"),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to create discovery target" }),
    });
  }

  return (
    <>
      <RowDetail>
        <Tag>{`${port} ${PROTOCOL_LABELS[protocol]}`}</Tag> {banner}
      </RowDetail>
      {key !== null && <RowDetail>{`${key.type} ${key.fingerprint}`}</RowDetail>}
      {certificate !== null && (
        <RowDetail>
          {`Certificate of ${certificate.subject || certificate.names.join(", ")}, issued by ${certificate.issuer || "an unnamed authority"}, expires ${absoluteTime(certificate.expires_at)}`}
        </RowDetail>
      )}
      {targetId !== null && (
        <RowDetail>
          <IconCheck size={14} aria-hidden /> Already a target
        </RowDetail>
      )}
      {type !== null && targetId === null && scan.can_manage && (
        <Button
          size="compact-sm"
          variant="default"
          style={{ alignSelf: "start" }}
          aria-label={`Add ${name} as target`}
          leftSection={<IconPlus size={15} aria-hidden />}
          loading={isPending}
          onClick={() => add(type)}
        >
          Add as Target
        </Button>
      )}
    </>
  );
}
