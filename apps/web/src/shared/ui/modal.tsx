// The app's dialog: sizes from sm to 2xl (SHELL-39), named close button, room to breathe on small screens.
import { Modal as MantineModal } from "@mantine/core";
import { useMediaQuery, useMounted } from "@mantine/hooks";
import { useState } from "react";
import type { ReactNode } from "react";

/** Widths in rem. */
export const MODAL_SIZES = { sm: "24rem", md: "32rem", lg: "42rem", xl: "54rem", "2xl": "68rem" } as const;
export type ModalSize = keyof typeof MODAL_SIZES;

/** Above other dialogs, below the toasts. */
const ON_TOP = 400;

export interface ModalProps {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  size?: ModalSize;
  /** Only the dialog's own buttons close it. */
  isInsistent?: boolean;
  /** It may open while another dialog is open, and covers that. */
  isOnTop?: boolean;
  children: ReactNode;
}

export function Modal({
  opened,
  onClose,
  title,
  size = "md",
  isInsistent = false,
  isOnTop = false,
  children,
}: ModalProps) {
  const isLarge = size !== "sm" && size !== "md";
  const isNarrow = useMediaQuery("(max-width: 36em)") ?? false;
  // Only a dialog that was there before it opened remembers what had the focus, and gives it back.
  const isMounted = useMounted();
  // The frame comes first, so that the dialog has looked where the focus is before a form takes it: without animations both
  // would come at once, and the focus would be lost with the dialog.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  return (
    <MantineModal.Root
      opened={opened && isMounted}
      onClose={onClose}
      size={MODAL_SIZES[size]}
      fullScreen={isNarrow && isLarge}
      zIndex={isOnTop ? ON_TOP : undefined}
      centered
      closeOnClickOutside={!isInsistent}
      closeOnEscape={!isInsistent}
      transitionProps={{ duration: 120 }}
    >
      <MantineModal.Overlay backgroundOpacity={0.5} blur={2} />
      <MantineModal.Content>
        {/* Mantine renders a <header>: without the role it would be a second banner of the page. */}
        <MantineModal.Header role="presentation">
          <MantineModal.Title fw={620} fz="lg">
            {title}
          </MantineModal.Title>
          {!isInsistent && <MantineModal.CloseButton aria-label="Close" />}
        </MantineModal.Header>
        <MantineModal.Body ref={setFrame}>{frame !== null && children}</MantineModal.Body>
      </MantineModal.Content>
    </MantineModal.Root>
  );
}
