// The user's SSH keys: list, add and remove; and how to connect with them.
import { Button } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import type { SshKey } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { ComingTime, RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { SshAccessNote } from "./ssh-access-note.tsx";
import { SshKeyForm, emptySshKey, typeLabel } from "./ssh-key-form.tsx";
import classes from "./ssh-keys.module.css";
import { keyRemoval, saveKey, sshKeys } from "./ssh-keys.queries.ts";

export function SshKeysCard() {
  const keys = useQuery(sshKeys);
  const client = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<SshKey | null>(null);
  return (
    <SectionCard
      title="SSH Keys"
      description="Connect to accounts through the session gateway with your own SSH client. Your second factor still applies."
      actions={
        keys.data !== undefined && (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setIsAdding(true)}
          >
            Add SSH Key
          </Button>
        )
      }
    >
      <Loaded query={keys} loadingText="Loading your SSH keys...">
        {({ data, most_days: mostDays }) => (
          <>
            {data.length === 0 ? (
              <EmptyState icon={IconKey} title="No SSH keys" text="Add the public key of your computer." />
            ) : (
              <RowList label="Your SSH keys">
                {data.map((key) => (
                  <KeyRow key={key.id} sshKey={key} onRemove={() => setRemoved(key)} />
                ))}
              </RowList>
            )}
            <FormDialog
              opened={isAdding}
              onClose={() => setIsAdding(false)}
              title="Add SSH Key"
              size="lg"
              initial={emptySshKey(mostDays)}
              submitLabel="Add SSH Key"
              failureText="Failed to add the SSH key"
              save={(values) =>
                saveKey(client, {
                  public_key: values.public_key.trim(),
                  name: values.name,
                  expires_in_days: Number(values.expires_in_days),
                })
              }
              done="SSH key added"
            >
              {(form) => <SshKeyForm {...form} mostDays={mostDays} />}
            </FormDialog>
          </>
        )}
      </Loaded>
      <SshAccessNote />
      {removed !== null && <RemoveDialog sshKey={removed} onClose={() => setRemoved(null)} />}
    </SectionCard>
  );
}

function KeyRow({ sshKey, onRemove }: { sshKey: SshKey; onRemove: () => void }) {
  const isExpired = sshKey.state === "expired";
  return (
    <Row
      icon={<IconKey size={18} stroke={1.6} aria-hidden />}
      name={
        <>
          {sshKey.name} {isExpired && <Tag>Expired</Tag>}
        </>
      }
      isOver={isExpired}
      actions={
        <Button variant="default" size="compact-sm" onClick={onRemove} aria-label={`Remove ${sshKey.name}`}>
          Remove
        </Button>
      }
    >
      <RowDetail>
        {typeLabel(sshKey)} · <code className={classes.fingerprint}>{sshKey.fingerprint}</code>
      </RowDetail>
      <RowDetail>
        Added: <RelativeTime moment={sshKey.created_at} /> · Last used:{" "}
        {sshKey.last_used_at === null ? (
          "never"
        ) : (
          <>
            <RelativeTime moment={sshKey.last_used_at} /> from {sshKey.last_used_from}
          </>
        )}{" "}
        ·{" "}
        {isExpired ? (
          <>
            Expired: <RelativeTime moment={sshKey.expires_at} />
          </>
        ) : (
          <>
            Expires: <ComingTime moment={sshKey.expires_at} />
          </>
        )}
      </RowDetail>
    </Row>
  );
}

function RemoveDialog({ sshKey, onClose }: { sshKey: SshKey; onClose: () => void }) {
  return (
    <DeleteDialog
      opened
      title={`Remove ${sshKey.name}`}
      confirmLabel="Remove"
      mutation={keyRemoval(useQueryClient(), sshKey.id)}
      done={`${sshKey.name} removed`}
      failed="Failed to remove the SSH key"
      onClose={onClose}
    >
      You can no longer connect with it. Sessions that were started with it end now.
    </DeleteDialog>
  );
}
