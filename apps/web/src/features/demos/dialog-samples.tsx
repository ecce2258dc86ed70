// The generic dialogs and toasts of the component demo: confirm variants, modal sizes, toast kinds.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { capitalised } from "#shared/format/text.ts";
import { CONFIRM_VARIANTS, ConfirmDialog, type ConfirmVariant } from "#shared/ui/confirm-dialog.tsx";
import { MODAL_SIZES, Modal, type ModalSize } from "#shared/ui/modal.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";

const SIZES = Object.keys(MODAL_SIZES) as ModalSize[];

export function DialogSamples() {
  const [variant, setVariant] = useState<ConfirmVariant | null>(null);
  const [size, setSize] = useState<ModalSize | null>(null);
  return (
    <SectionCard title="Dialogs and toasts" description="Nothing here changes anything.">
      <Stack gap="xs">
        <Group gap="xs">
          {CONFIRM_VARIANTS.map((each) => (
            <Button key={each} variant="default" onClick={() => setVariant(each)}>
              Confirm: {each}
            </Button>
          ))}
        </Group>
        <Group gap="xs">
          {SIZES.map((each) => (
            <Button key={each} variant="default" onClick={() => setSize(each)}>
              Modal: {each}
            </Button>
          ))}
        </Group>
        <Group gap="xs">
          <Button variant="default" onClick={() => toast.success("Sample only: success message")}>
            Toast: success
          </Button>
          <Button variant="default" onClick={() => toast.error("Sample only: error message")}>
            Toast: error
          </Button>
          <Button variant="default" onClick={() => toast.loading("Sample only: in progress", { id: "sample-loading" })}>
            Toast: loading
          </Button>
          <Button variant="default" onClick={() => toast.custom("Sample only: information")}>
            Toast: custom
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={variant !== null}
        variant={variant ?? "info"}
        title={`${capitalised(variant ?? "")} (sample only)`}
        onConfirm={() => setVariant(null)}
        onCancel={() => setVariant(null)}
      >
        Sample only: the question appears here.
      </ConfirmDialog>
      <Modal
        opened={size !== null}
        onClose={() => setSize(null)}
        title={`Modal ${size ?? ""} (sample only)`}
        size={size ?? "md"}
      >
        <Text>Sample only: the size of a dialog follows its content.</Text>
      </Modal>
    </SectionCard>
  );
}
