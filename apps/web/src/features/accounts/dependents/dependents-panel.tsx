// "Dependents": the entries that receive a new password, and whether they have it.
import { ActionIcon, Button } from "@mantine/core";
import { IconPlus, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { Account, Dependent } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import { AccountLink } from "./account-link.tsx";
import { AddDependentDialog } from "./add-dependent-dialog.tsx";
import { STATE_BADGES, accountOf, placeOf } from "./dependent-form-values.ts";
import { dependentRemoval, dependentUpdate, dependents } from "./dependents.queries.ts";
import { ProposedDependents } from "./proposed-dependents.tsx";

export function DependentsPanel({ account }: { account: Account }) {
  const list = useQuery(dependents(account.id));
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<Dependent | null>(null);
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);
  const mayChange = may("update_properties") && may("manage_secret");
  return (
    <SectionCard
      title="Dependents"
      description="Updated with the new password after each rotation."
      actions={
        mayChange && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setIsAdding(true)}
          >
            Add
          </Button>
        )
      }
    >
      <Loaded query={list} failureText="Failed to load the dependents">
        {({ dependents: all }) =>
          all.length === 0 ? (
            <NoRows>No dependents</NoRows>
          ) : (
            <RowList label="Dependents">
              {all.map((dependent) => (
                <DependentRow
                  key={dependent.id}
                  account={account}
                  dependent={dependent}
                  mayChange={mayChange}
                  onRemove={() => setRemoved(dependent)}
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
      <ProposedDependents account={account} />
      <AddDependentDialog account={account} opened={isAdding} onClose={() => setIsAdding(false)} />
      {removed !== null && (
        <RemoveDependentDialog account={account} dependent={removed} onClose={() => setRemoved(null)} />
      )}
    </SectionCard>
  );
}

interface RowProps {
  account: Account;
  dependent: Dependent;
  mayChange: boolean;
  onRemove: () => void;
}

function DependentRow({ account, dependent, mayChange, onRemove }: RowProps) {
  const { mutate, isPending } = useMutation(dependentUpdate(useQueryClient(), account.id, dependent.id));
  const { name, state, message, updated_at: updatedAt } = dependent;
  const update = () =>
    mutate(undefined, { onError: (error) => toast.error(messageOf(error), { title: `Failed to update "${name}"` }) });
  const through = accountOf(dependent);
  return (
    <Row
      name={
        <>
          <StatusBadge {...STATE_BADGES[state]} />
          {name}
        </>
      }
      actions={
        mayChange && (
          <>
            <ActionIcon aria-label={`Update ${name} now`} title="Update now" onClick={update} loading={isPending}>
              <IconRefresh size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </>
        )
      }
    >
      <RowDetail>
        {placeOf(dependent)}
        {through !== null && (
          <>
            {" · "}
            <AccountLink id={through} />
          </>
        )}
      </RowDetail>
      {message !== null && state !== "current" && <RowDetail>{message}</RowDetail>}
      {updatedAt !== null && (
        <RowDetail>
          Updated <RelativeTime moment={updatedAt} />
        </RowDetail>
      )}
    </Row>
  );
}

interface RemoveProps {
  account: Account;
  dependent: Dependent;
  onClose: () => void;
}

function RemoveDependentDialog({ account, dependent, onClose }: RemoveProps) {
  return (
    <DeleteDialog
      opened
      title="Remove Dependent"
      confirmLabel="Remove"
      mutation={dependentRemoval(useQueryClient(), account.id, dependent.id)}
      done={`"${dependent.name}" removed`}
      failed={`Failed to remove "${dependent.name}"`}
      onClose={onClose}
    >
      <p>
        <strong>{dependent.name}</strong> will no longer get the password of <strong>{account.name}</strong> when it
        changes. It keeps its current password.
      </p>
    </DeleteDialog>
  );
}
