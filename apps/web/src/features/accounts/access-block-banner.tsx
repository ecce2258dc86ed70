// Explains why an account cannot be checked out after a use, and lets secret managers allow access before its rotation.
import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./detail/account-detail-page.module.css";
import { accessAllowance } from "./accounts.queries.ts";

export function AccessBlockBanner({ account }: { account: Account }) {
  const [isOpen, setIsOpen] = useState(false);
  const { access_block: block } = account;
  if (block === null) return null;
  const isStopped = block.state === "stopped";
  return (
    <>
      <Alert
        className={classes.banner}
        color={isStopped ? "red" : "petrol"}
        variant="light"
        title={isStopped ? "Rotation stopped" : "Rotating"}
        icon={isStopped ? <IconAlertTriangle aria-hidden /> : <IconRefresh aria-hidden />}
      >
        <div className={classes.bannerBody}>
          <span>{block.message}</span>
          {block.can_allow && (
            <Button size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
              Allow Access
            </Button>
          )}
        </div>
      </Alert>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Allow Access Before the Rotation">
        <AllowAccessForm account={account} onClose={() => setIsOpen(false)} />
      </Modal>
    </>
  );
}

function AllowAccessForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const { mutateAsync: allow } = useMutation(accessAllowance(useQueryClient(), account.id));
  return (
    <Form
      label="Allow access"
      initial={{ reason: "" }}
      isDisabled={({ values }) => values.reason.trim() === ""}
      failureText="Failed to allow access"
      submitLabel="Allow Access"
      onCancel={onClose}
      onSubmit={async ({ reason }, isHere) => {
        await allow(reason);
        toast.success(`Access to "${account.name}" allowed`);
        if (isHere()) onClose();
      }}
    >
      {(form) => (
        <>
          <p style={{ margin: 0 }}>
            The previous user still knows the password of <strong>{account.name}</strong>. If you allow access, others
            can retrieve it, and the rotation waits until they check it in.
          </p>
          <ReasonField description="Recorded in the audit trail." required {...form.getInputProps("reason")} />
        </>
      )}
    </Form>
  );
}
