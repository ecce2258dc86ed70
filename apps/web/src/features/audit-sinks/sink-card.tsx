// The card of an audit sink: its address, its progress and its actions.
import {
  IconAlertTriangle,
  IconEye,
  IconFileText,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRadar,
  IconSend,
  IconServer,
  IconTrash,
  IconWebhook,
  IconDownload,
  type Icon,
} from "@tabler/icons-react";
import type { AuditSink, AuditSinkKind } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { CardButton, CardNote, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { saveFile } from "#shared/ui/save-file.ts";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import { switching, sinkTest } from "./audit-sinks.queries.ts";
import { KIND_LABELS, behindOf, placeOf, sinkState } from "./sink-labels.ts";

const ICONS: Record<AuditSinkKind, Icon> = {
  syslog: IconServer,
  http: IconWebhook,
  file: IconFileText,
  witness: IconEye,
};

export interface SinkCardProps {
  sink: AuditSink;
  /** Null for a read-only card. */
  onOpen: ((dialog: "edit" | "delete", sink: AuditSink) => void) | null;
}

export function SinkCard({ sink, onOpen }: SinkCardProps) {
  const { config, content, status } = sink;
  const KindIcon = ICONS[config.kind] ?? IconRadar;
  const isFailing = status.state === "failing";
  const place = placeOf(sink);
  return (
    <ItemCard
      icon={<KindIcon size={20} stroke={1.6} aria-hidden />}
      title={sink.name}
      subtitle={KIND_LABELS[config.kind]}
      badges={<StatusBadge {...sinkState(sink)} />}
      facts={[
        { name: "Destination", value: place, title: place },
        { name: "Backlog", value: behindOf(sink), title: behindOf(sink), isWide: true },
        { name: content === "entries" ? "Delivered" : "Published", value: status.delivered.toLocaleString("en") },
        { name: "Last success", value: <RelativeTime moment={status.last_success_at} /> },
      ]}
      note={
        status.last_error !== null &&
        (isFailing || status.last_success_at === null) && (
          <CardNote tone={isFailing ? "danger" : "warning"} icon={IconAlertTriangle} text={status.last_error} />
        )
      }
      isAlarming={isFailing}
      actions={<Actions sink={sink} onOpen={onOpen} />}
    />
  );
}

function Actions({ sink, onOpen }: SinkCardProps) {
  const client = useQueryClient();
  const { mutate: test, isPending: isTesting } = useMutation(sinkTest(client, sink.id));
  const { mutate: turn, isPending: isTurning } = useMutation(switching(client, sink.id));
  const { name, is_enabled: isEnabled, cosigned_checkpoint: cosigned } = sink;
  const tryIt = () =>
    test(undefined, {
      onSuccess: ({ has_arrived, message }) =>
        has_arrived ? toast.success(message) : toast.error(message, { title: `The test of ${name} failed` }),
      onError: (error) => toast.error(messageOf(error), { title: `The test of ${name} failed` }),
    });
  const switchIt = () =>
    turn(!isEnabled, {
      onSuccess: () => toast.success(isEnabled ? `${name} was disabled` : `${name} was enabled`),
      onError: (error) => toast.error(messageOf(error)),
    });
  const save = () => saveFile("checkpoint.note", new Blob([cosigned ?? ""], { type: "text/plain" }));
  return (
    <>
      {onOpen !== null && (
        <>
          <CardButton label="Test" name={`Test ${name}`} icon={IconSend} onClick={tryIt} isBusy={isTesting} isPrimary />
          <CardButton
            label={isEnabled ? "Disable" : "Enable"}
            name={`${isEnabled ? "Disable" : "Enable"} ${name}`}
            icon={isEnabled ? IconPlayerPause : IconPlayerPlay}
            onClick={switchIt}
            isBusy={isTurning}
          />
        </>
      )}
      <CardSigns>
        {cosigned !== null && (
          <CardSign label={`Save the Cosigned Checkpoint of ${name}`} icon={IconDownload} onClick={save} />
        )}
        {onOpen !== null && (
          <>
            <CardSign label={`Edit ${name}`} icon={IconPencil} onClick={() => onOpen("edit", sink)} />
            <CardSign label={`Delete ${name}`} icon={IconTrash} onClick={() => onOpen("delete", sink)} />
          </>
        )}
      </CardSigns>
    </>
  );
}
