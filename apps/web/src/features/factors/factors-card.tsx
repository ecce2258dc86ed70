// The user's second factors and recovery codes: list, add, remove and renew.
import { Button, Group } from "@mantine/core";
import { IconDeviceMobile, IconFingerprint, IconLifebuoy } from "@tabler/icons-react";
import type { Factor, FactorKind } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { factorRemoval, useFactors, useNewCodes, useOwnEnrolment } from "./factors.queries.ts";
import { NewFactor, type Added } from "#shared/factors/new-factor.tsx";
import { canUsePasskeys } from "#shared/factors/passkey.ts";
import { RecoveryCodes } from "#shared/factors/recovery-codes.tsx";

const KIND: Record<FactorKind, { text: string; title: string; icon: typeof IconDeviceMobile }> = {
  totp: { text: "Authenticator app", title: "Authenticator App", icon: IconDeviceMobile },
  passkey: { text: "Passkey", title: "Passkey", icon: IconFingerprint },
};

/** The open dialog and its subject. */
type Open =
  | { dialog: "add"; kind: FactorKind }
  | { dialog: "codes"; codes: string[] }
  | { dialog: "remove"; factor: Factor }
  | { dialog: "renew" };

export function FactorsCard() {
  const { data, error, refetch, isFetching } = useFactors();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const isLast = data?.data.length === 1;

  return (
    <SectionCard
      title="Second Factors"
      description={
        data?.is_required === true
          ? "Your role requires a second factor in addition to the password."
          : "With a second factor, your password alone is not enough to sign in."
      }
      actions={
        <Group gap="xs">
          <Button size="compact-md" variant="default" onClick={() => setOpen({ dialog: "add", kind: "totp" })}>
            Add Authenticator App
          </Button>
          {canUsePasskeys() && (
            <Button size="compact-md" variant="default" onClick={() => setOpen({ dialog: "add", kind: "passkey" })}>
              Add Passkey
            </Button>
          )}
        </Group>
      }
    >
      {data === undefined && error === null && <SectionSkeleton text="Loading your second factors..." />}
      {data === undefined && error !== null && (
        <ErrorState message={messageOf(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      )}
      {data?.data.length === 0 && (
        <EmptyState
          icon={IconDeviceMobile}
          title="No second factor yet"
          text="Add an authenticator app on your phone, or a passkey."
        />
      )}
      {data !== undefined && data.data.length > 0 && (
        <RowList label="Second factors">
          {data.data.map((factor) => (
            <FactorRow key={factor.id} factor={factor} onRemove={() => setOpen({ dialog: "remove", factor })} />
          ))}
          <CodesRow left={data.recovery_codes_left} onRenew={() => setOpen({ dialog: "renew" })} />
        </RowList>
      )}
      <AddDialog open={open} setOpen={setOpen} />
      {open?.dialog === "remove" && <RemoveDialog factor={open.factor} isLast={isLast} onClose={close} />}
      {open?.dialog === "renew" && (
        <RenewDialog onClose={close} onCodes={(codes) => setOpen({ dialog: "codes", codes })} />
      )}
    </SectionCard>
  );
}

function FactorRow({ factor, onRemove }: { factor: Factor; onRemove: () => void }) {
  const { text, icon: Icon } = KIND[factor.kind];
  return (
    <Row
      icon={<Icon size={18} stroke={1.6} aria-hidden />}
      name={factor.name}
      actions={
        <Button variant="default" size="compact-sm" onClick={onRemove} aria-label={`Remove ${factor.name}`}>
          Remove
        </Button>
      }
    >
      <RowDetail>
        {text} · Added: <RelativeTime moment={factor.created_at} /> · Last used:{" "}
        {factor.last_used_at === null ? "never" : <RelativeTime moment={factor.last_used_at} />}
      </RowDetail>
    </Row>
  );
}

function CodesRow({ left, onRenew }: { left: number; onRenew: () => void }) {
  return (
    <Row
      icon={<IconLifebuoy size={18} stroke={1.6} aria-hidden />}
      name="Recovery codes"
      actions={
        <Button variant="default" size="compact-sm" onClick={onRenew}>
          Create New Codes
        </Button>
      }
    >
      <RowDetail>{left === 1 ? "1 code left." : `${left} codes left.`}</RowDetail>
    </Row>
  );
}

/** Stays open for the recovery codes of the first factor, which are shown once. */
function AddDialog({ open, setOpen }: { open: Open | null; setOpen: (next: Open | null) => void }) {
  const enrolment = useOwnEnrolment();
  const close = () => setOpen(null);
  const added = ({ codes }: Added) => {
    toast.success("Second factor added");
    setOpen(codes === null ? null : { dialog: "codes", codes });
  };
  const title = open?.dialog === "add" ? `Add ${KIND[open.kind].title}` : "Your Recovery Codes";
  return (
    <Modal
      opened={open?.dialog === "add" || open?.dialog === "codes"}
      onClose={close}
      title={title}
      isInsistent={open?.dialog === "codes"}
    >
      {open?.dialog === "add" && <NewFactor kind={open.kind} enrolment={enrolment} onAdded={added} onCancel={close} />}
      {open?.dialog === "codes" && <RecoveryCodes codes={open.codes} doneLabel="Done" onDone={close} />}
    </Modal>
  );
}

function RemoveDialog({ factor, isLast, onClose }: { factor: Factor; isLast: boolean; onClose: () => void }) {
  return (
    <DeleteDialog
      opened
      title={`Remove ${factor.name}`}
      confirmLabel="Remove"
      mutation={factorRemoval(useQueryClient(), factor.id)}
      done={`${factor.name} removed`}
      failed="Failed to remove the second factor"
      onClose={onClose}
    >
      {isLast
        ? "This is your last second factor. If you remove it, you will sign in with your password alone, and your recovery codes will be deleted."
        : "You can no longer sign in with it."}
    </DeleteDialog>
  );
}

function RenewDialog({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: string[]) => void }) {
  const renew = useNewCodes();
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async () => {
    setIsBusy(true);
    try {
      onCodes(await renew());
    } catch (error) {
      toast.error(messageOf(error, "Failed to create new codes"));
      onClose();
    }
  };
  return (
    <ConfirmDialog
      opened
      title="Create New Recovery Codes"
      confirmLabel="Create New Codes"
      isBusy={isBusy}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    >
      Your current codes will stop working.
    </ConfirmDialog>
  );
}
