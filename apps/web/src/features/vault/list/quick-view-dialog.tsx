// "Credential Details": shows one credential without leaving the list (VAULT-12, VAULT-13).
import type { Credential } from "@strongroom/contract";
import { Suspense, lazy } from "react";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";

/** Loaded when the dialog first opens. */
const QuickView = lazy(() => import("./quick-view.tsx"));

export interface QuickViewDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
}

export function QuickViewDialog({ credential, opened, onClose }: QuickViewDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Credential Details" size="lg">
      <Suspense fallback={<SectionLoading />}>
        <QuickView credential={credential} onClose={onClose} />
      </Suspense>
    </Modal>
  );
}
