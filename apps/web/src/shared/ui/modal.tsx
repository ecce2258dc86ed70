// The app's dialog: sizes from sm to 2xl (SHELL-39), a named close button, and a confirmation before an edited form
// is discarded.
import { Button, Modal as MantineModal, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useLayoutEffect, useState } from "react";
import type { ReactNode, SyntheticEvent } from "react";
import { DialogButtons, IsInDialog } from "./dialog-buttons.tsx";
import classes from "./modal.module.css";

/** Widths in rem. */
export const MODAL_SIZES = { sm: "24rem", md: "32rem", lg: "42rem", xl: "54rem", "2xl": "68rem" } as const;
export type ModalSize = keyof typeof MODAL_SIZES;

const DIALOG = '[role="dialog"]';

/** The z-index above other dialogs and below the toasts. */
const ON_TOP = 400;

/** The props that every dialog takes from its page. */
export interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

export interface ModalProps extends DialogProps {
  title: ReactNode;
  size?: ModalSize;
  /** Only the dialog's own buttons close it. */
  isInsistent?: boolean;
  /** The dialog may open over another one. */
  isOnTop?: boolean;
  /** The content needs little height, so that even a large dialog does not fill the screen of a phone. */
  isShort?: boolean;
  children: ReactNode;
}

/** The open dialogs, the topmost last. */
const openDialogs: symbol[] = [];

/**
 * Returns whether the dialog is the topmost one. Every open dialog listens for Escape, and one key press must not close
 * a dialog together with the one over it.
 */
function useStacking(isOpen: boolean): () => boolean {
  const [self] = useState(() => Symbol("dialog"));
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    openDialogs.push(self);
    // In a separate task: the dialogs below also handle the key press that closes this one.
    return () => void setTimeout(() => openDialogs.splice(openDialogs.indexOf(self), 1));
  }, [isOpen, self]);
  return () => openDialogs.at(-1) === self;
}

export function Modal({
  opened,
  onClose,
  title,
  size = "md",
  isInsistent = false,
  isOnTop = false,
  isShort = false,
  children,
}: ModalProps) {
  const isLarge = size !== "sm" && size !== "md";
  const isNarrow = useMediaQuery("(max-width: 36em)") ?? false;
  useFocusReturn(opened);
  const isTopmost = useStacking(opened);
  // Renders the frame before the form, so that the focused element is recorded before a form takes the focus.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const [isEdited, setIsEdited] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  if (!opened && (isEdited || isAsking)) {
    setIsEdited(false);
    setIsAsking(false);
  }
  const noteEdit = ({ target }: SyntheticEvent): void => {
    if (!(target instanceof Element) || target.closest("form") === null) return;
    // A dialog inside this one asks for its own form.
    if (target.closest(DIALOG) === frame?.closest(DIALOG)) setIsEdited(true);
  };
  // In a separate task: the confirmation would otherwise handle the Escape key press that opens it.
  const ask = (): void => void setTimeout(() => setIsAsking(true));
  const close = (): void => {
    if (!isTopmost()) return;
    if (isEdited) ask();
    else onClose();
  };
  return (
    <MantineModal.Root
      opened={opened}
      returnFocus={false}
      onClose={close}
      size={MODAL_SIZES[size]}
      fullScreen={isNarrow && isLarge && !isShort}
      zIndex={isOnTop ? ON_TOP : undefined}
      centered
      closeOnClickOutside={!isInsistent}
      closeOnEscape={!isInsistent && !isAsking}
      transitionProps={{ duration: 120 }}
    >
      <MantineModal.Overlay backgroundOpacity={0.5} blur={2} />
      <MantineModal.Content className={classes.content}>
        {/* Mantine renders a <header>, which without this role would be a second banner landmark. */}
        <MantineModal.Header role="presentation">
          <MantineModal.Title fw={620} fz="lg" lh={1.3}>
            {title}
          </MantineModal.Title>
          {!isInsistent && <MantineModal.CloseButton aria-label="Close" />}
        </MantineModal.Header>
        <MantineModal.Body ref={setFrame} onChange={noteEdit}>
          {frame !== null && <IsInDialog value>{children}</IsInDialog>}
        </MantineModal.Body>
        {isEdited && <DiscardQuestion opened={isAsking} onDiscard={onClose} onKeepEditing={() => setIsAsking(false)} />}
      </MantineModal.Content>
    </MantineModal.Root>
  );
}

/**
 * Returns the focus when the dialog closes or unmounts, unless something else took it in the meantime. Mantine records the
 * focused element in a passive effect, which can run after the dialog took the focus.
 */
function useFocusReturn(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const opener = document.activeElement;
    return () => {
      const last = document.activeElement;
      setTimeout(() => {
        const now = document.activeElement;
        if (opener instanceof HTMLElement && (now === null || now === document.body || now === last))
          opener.focus({ preventScroll: true });
      });
    };
  }, [isOpen]);
}

interface DiscardQuestionProps {
  opened: boolean;
  onDiscard: () => void;
  onKeepEditing: () => void;
}

/**
 * Escape, the close button and a click outside are easy to hit by accident; the form's own Cancel needs no
 * confirmation.
 */
function DiscardQuestion({ opened, onDiscard, onKeepEditing }: DiscardQuestionProps) {
  return (
    <Modal opened={opened} onClose={onKeepEditing} title="Discard changes?" size="sm" isOnTop>
      <Stack gap="lg">
        <p>What you entered has not been saved.</p>
        <DialogButtons>
          <Button variant="default" onClick={onDiscard}>
            Discard
          </Button>
          <Button onClick={onKeepEditing} data-autofocus>
            Keep Editing
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}
