// The dialog around the credential form, which loads when first opened.
import { Suspense, lazy } from "react";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import type { CredentialFormProps } from "./credential-form.tsx";

const CredentialForm = lazy(() => import("./credential-form.tsx"));

export interface CredentialFormDialogProps extends Omit<CredentialFormProps, "onCancel"> {
  title: string;
  opened: boolean;
  onClose: () => void;
}

export function CredentialFormDialog({ title, opened, onClose, ...form }: CredentialFormDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <Suspense fallback={<SectionLoading />}>
        <CredentialForm {...form} onCancel={onClose} />
      </Suspense>
    </Modal>
  );
}
