// "Add Dependent", and the signing key of a webhook, which is shown once and never stored in the browser.
import { Button, Group, Stack } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { EMPTY_DEPENDENT, payloadOf } from "./dependent-form-values.ts";
import { sendDependent } from "./dependents.queries.ts";

const DependentForm = lazy(() => import("./dependent-form.tsx"));

export interface AddDependentDialogProps {
  account: Account;
  opened: boolean;
  onClose: () => void;
}

export function AddDependentDialog({ account, opened, onClose }: AddDependentDialogProps) {
  const client = useQueryClient();
  const [key, setKey] = useState<string | null>(null);
  return (
    <>
      <Modal opened={opened} onClose={onClose} title="Add Dependent">
        <Suspense fallback={<SectionLoading />}>
          <DependentForm
            accountId={account.id}
            initial={EMPTY_DEPENDENT}
            submitLabel="Add"
            failureText="Failed to add the dependent"
            onCancel={onClose}
            onSubmit={async (values) => {
              const { name, signing_key: signingKey } = await sendDependent(client, account.id, payloadOf(values));
              toast.success(`"${name}" added`);
              onClose();
              setKey(signingKey);
            }}
          />
        </Suspense>
      </Modal>
      <Modal opened={key !== null} onClose={() => setKey(null)} title="Signing Key" isInsistent>
        <Stack gap="md">
          <p style={{ margin: 0 }}>
            Each webhook call is signed with this key (HMAC-SHA-256 over the body). Copy it to the receiving program
            now: it is shown only once.
          </p>
          <CodeBlock code={key ?? ""} label="signing key" isWrapped />
          <Group justify="flex-end">
            <Button onClick={() => setKey(null)}>I Have Stored It</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
