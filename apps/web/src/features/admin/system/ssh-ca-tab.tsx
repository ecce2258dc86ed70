// The SSH user CA: its public keys for targets, and the rotation to a next key.
import { Button, Group } from "@mantine/core";
import { IconCertificate, IconCopy, IconDownload, IconPlus } from "@tabler/icons-react";
import type { SshCaKey } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { copyText } from "#shared/ui/copy.ts";
import { toast } from "#shared/ui/toast.ts";
import { ConfirmActionDialog, DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { saveFile } from "#shared/ui/save-file.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge, type Status } from "#shared/ui/status-badge.tsx";
import classes from "#shared/ui/admin-console.module.css";
import { caKeyActivation, caKeyCreation, caKeyRemoval, caKeys } from "./system.queries.ts";

const FILE = "strongroom-ssh-ca.pub";
const CONFIG_LINE = `TrustedUserCAKeys /etc/ssh/${FILE}`;

const LOOKS: Record<SshCaKey["status"], { status: Status; label: string }> = {
  active: { status: "verified", label: "Signs" },
  next: { status: "pending", label: "Next" },
  retired: { status: "inactive", label: "Retired" },
};

export default function SshCaTab() {
  const list = useQuery(caKeys);
  return (
    <div className={classes.cards}>
      <SectionCard
        title="SSH User CA"
        description="Targets that trust this CA let gateways log in with certificates that are valid for two minutes. Sessions of platforms that log in with a certificate do not use the stored secret."
      >
        <Loaded query={list}>
          {({ keys, trusted_keys_file: file }) =>
            keys.length === 0 ? (
              <EmptyState
                icon={IconCertificate}
                title="No CA key"
                text="Create a key, then let targets trust its public half."
                action={<Create isFirst />}
              />
            ) : (
              <>
                <RowList label="CA keys">
                  {keys.map((key) => (
                    <KeyRow key={key.id} caKey={key} />
                  ))}
                </RowList>
                <Trust file={file} />
                {keys.every(({ status }) => status !== "next") && <Create isFirst={false} />}
              </>
            )
          }
        </Loaded>
      </SectionCard>
    </div>
  );
}

const copyLine = () =>
  copyText(CONFIG_LINE).then(
    () => toast.success("Line copied"),
    (error: unknown) => toast.error(messageOf(error), { title: "Failed to copy" }),
  );

/** How a target trusts the CA. */
function Trust({ file }: { file: string }) {
  return (
    <>
      <p className={classes.note}>
        On each target, save the public keys as <code>/etc/ssh/{FILE}</code>, add this line to <code>sshd_config</code>,
        and reload sshd:
      </p>
      <p className={classes.mono}>{CONFIG_LINE}</p>
      <Group gap="xs" my="md">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveFile(FILE, new Blob([file], { type: "text/plain" }))}
        >
          Download Public Keys
        </Button>
        <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={() => void copyLine()}>
          Copy Line
        </Button>
      </Group>
    </>
  );
}

function KeyRow({ caKey }: { caKey: SshCaKey }) {
  const { id, status, fingerprint, created_at: createdAt } = caKey;
  const [asked, setAsked] = useState<"activate" | "delete" | null>(null);
  const client = useQueryClient();
  return (
    <Row
      icon={<IconCertificate size={18} aria-hidden />}
      isOver={status === "retired"}
      name={
        <>
          <span className={classes.mono}>{fingerprint}</span>
          <StatusBadge {...LOOKS[status]} />
        </>
      }
      actions={
        status !== "active" && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Activate: ${fingerprint}`}
              onClick={() => setAsked("activate")}
            >
              Activate
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Delete: ${fingerprint}`}
              onClick={() => setAsked("delete")}
            >
              Delete
            </Button>
          </Group>
        )
      }
    >
      <RowDetail>
        Created <RelativeTime moment={createdAt} />
      </RowDetail>
      <ConfirmActionDialog
        opened={asked === "activate"}
        title="Activate This CA Key"
        confirmLabel="Activate"
        variant="warning"
        mutation={caKeyActivation(client, id)}
        done={({ message }) => message}
        failed="Failed to activate the CA key"
        onClose={() => setAsked(null)}
      >
        New certificates are signed with this key immediately. Targets that do not trust it yet refuse sessions.
      </ConfirmActionDialog>
      <DeleteDialog
        opened={asked === "delete"}
        title="Delete This CA Key"
        mutation={caKeyRemoval(client, id)}
        done={({ message }) => message}
        failed="Failed to delete the CA key"
        onClose={() => setAsked(null)}
      >
        The key disappears from the public keys. Targets trust it until you replace their file.
      </DeleteDialog>
    </Row>
  );
}

function Create({ isFirst }: { isFirst: boolean }) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  return (
    <>
      <Button
        variant={isFirst ? "filled" : "default"}
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => setIsAsking(true)}
      >
        {isFirst ? "Create CA Key" : "Create Next Key"}
      </Button>
      <ConfirmActionDialog
        opened={isAsking}
        title={isFirst ? "Create the CA Key" : "Create the Next CA Key"}
        confirmLabel="Create"
        variant="info"
        mutation={caKeyCreation(client)}
        done="CA key created"
        failed="Failed to create the CA key"
        onClose={() => setIsAsking(false)}
      >
        {isFirst
          ? "The private key is sealed with the vault's keys and never leaves Strongroom."
          : "It does not sign yet. Give targets the new public keys, then activate it."}
      </ConfirmActionDialog>
    </>
  );
}
