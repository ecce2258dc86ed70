// "Add Dependent", and the signing key of a webhook, which is shown once and never stored in the browser.
import { Button, Stack } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { EMPTY_DEPENDENT, payloadOf } from "./dependent-form-values.ts";
import { sendDependent } from "./dependents.queries.ts";

const DependentForm = lazy(() => import("./dependent-form.tsx"));

export function AddDependentDialog({ account, ...props }: DialogProps & { account: Account }) {
  const client = useQueryClient();
  const [key, setKey] = useState<string | null>(null);
  return (
    <>
      <FormDialog
        {...props}
        title="Add Dependent"
        initial={EMPTY_DEPENDENT}
        submitLabel="Add"
        failureText="Failed to add the dependent"
        save={(values) => sendDependent(client, account.id, payloadOf(values))}
        done={({ name }) => `"${name}" added`}
        onDone={({ signing_key: signingKey }) => setKey(signingKey)}
      >
        {(form) => <DependentForm {...form} accountId={account.id} />}
      </FormDialog>
      <Modal opened={key !== null} onClose={() => setKey(null)} title="Signing Key" isInsistent>
        <Stack gap="md">
          <p style={{ margin: 0 }}>
            Each webhook call is signed with this key (HMAC-SHA-256 over the body). Copy it to the receiving program
            now: it is shown only once.
          </p>
          <CodeBlock code={key ?? ""} label="signing key" isWrapped />
          <DialogButtons>
            <Button onClick={() => setKey(null)}>I Have Stored It</Button>
          </DialogButtons>
        </Stack>
      </Modal>
    </>
  );
}
