// "Delete Safe": asks for confirmation (SAFE-20), and for a destination when the safe contains accounts.
import { Alert, Select } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import type { Safe, SafeId } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import classes from "../safes.module.css";
import { mayEmpty } from "../safe-labels.ts";
import { deletion, removeSafeFromCache, safesToMoveTo } from "../safes.queries.ts";

export interface DeleteSafeDialogProps {
  safe: Safe;
  opened: boolean;
  onClose: () => void;
  onDeleted?: () => void;
}

export function DeleteSafeDialog({ safe, opened, onClose, onDeleted }: DeleteSafeDialogProps) {
  const client = useQueryClient();
  const [destination, setDestination] = useState<string | null>(null);
  const isEmpty = safe.account_count === 0;
  const canMove = mayEmpty(safe);
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Safe"
      isDisabled={!isEmpty && destination === null}
      mutation={deletion(safe.id, isEmpty ? null : (destination as SafeId | null))}
      done="Safe deleted successfully"
      failed="Failed to delete safe"
      onClose={onClose}
      onDone={(_, isHere) => {
        if (isHere) onDeleted?.();
        void removeSafeFromCache(client, safe.id);
      }}
    >
      <p>
        Are you sure you want to delete <strong>{safe.name}</strong>? Its members lose their access, and its key is
        destroyed. This cannot be undone.
      </p>
      {!isEmpty && canMove && <Destination safe={safe} value={destination} onChange={setDestination} />}
      {!isEmpty && !canMove && (
        <Alert className={classes.inDialog} color="gray" variant="light" icon={<IconInfoCircle aria-hidden />}>
          It contains {counted(safe.account_count, "account")}. Moving them requires permission to delete accounts, to
          retrieve secrets and to access them without confirmation. Ask {safe.owner_name} to empty it first.
        </Alert>
      )}
    </DeleteDialog>
  );
}

interface DestinationProps {
  safe: Safe;
  value: string | null;
  onChange: (id: string | null) => void;
}

function Destination({ safe, value, onChange }: DestinationProps) {
  const safes = useQuery(safesToMoveTo);
  const others = (safes.data?.safes ?? []).filter(({ id }) => id !== safe.id);
  if (safes.data !== undefined && others.length === 0) {
    return (
      <Alert className={classes.inDialog} color="gray" variant="light" icon={<IconInfoCircle aria-hidden />}>
        It contains {counted(safe.account_count, "account")}, and you cannot add accounts to another safe. Create a
        safe, or delete the accounts first.
      </Alert>
    );
  }
  return (
    <Select
      className={classes.inDialog}
      label={`Move its ${counted(safe.account_count, "account")} to`}
      description="They keep their passwords and history. The members of that safe get access to them."
      required
      placeholder="Choose a safe"
      searchable
      data={others.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      nothingFoundMessage={safes.isPending ? "Loading..." : "No matching safe"}
      error={safes.isError ? messageOf(safes.error) : undefined}
    />
  );
}
