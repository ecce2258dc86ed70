// A dialog with a form that creates or edits one object: it saves, reports the success and closes.
import { Suspense, type ReactNode } from "react";
import type { FormProps } from "./form.tsx";
import { SectionLoading } from "./loading.tsx";
import { Modal, type DialogProps, type ModalSize } from "./modal.tsx";
import { toast } from "./toast.ts";

/** The props that a form takes from its dialog. */
export type FormInDialog<Values extends object> = Pick<
  FormProps<Values>,
  "initial" | "submitLabel" | "failureText" | "onCancel" | "onSubmit"
>;

export interface FormDialogProps<Values extends object, Done> extends DialogProps {
  title: string;
  size?: ModalSize;
  /** Null while the initial values are loading. */
  initial: Values | null;
  submitLabel?: FormProps<Values>["submitLabel"];
  failureText: FormProps<Values>["failureText"];
  /** Rejects when the server refuses; the form then shows why. */
  save: (values: Values) => Promise<Done>;
  /** The success toast; null when the caller shows its own. */
  done: string | ((done: Done) => string) | null;
  /** Called even when the user has closed the dialog in the meantime. */
  onDone?: (done: Done) => void;
  /** May be a lazy component. */
  children: (form: FormInDialog<Values>) => ReactNode;
}

/** `Modal` asks before it discards an edited form. */
export function FormDialog<Values extends object, Done>({
  opened,
  onClose,
  title,
  size = "md",
  initial,
  submitLabel = "Save Changes",
  failureText,
  save,
  done,
  onDone,
  children,
}: FormDialogProps<Values, Done>) {
  async function submit(values: Values, isHere: () => boolean): Promise<void> {
    const saved = await save(values);
    if (done !== null) toast.success(typeof done === "string" ? done : done(saved));
    if (isHere()) onClose();
    onDone?.(saved);
  }
  return (
    <Modal opened={opened} onClose={onClose} title={title} size={size}>
      <Suspense fallback={<SectionLoading />}>
        {initial === null ? (
          <SectionLoading />
        ) : (
          children({ initial, submitLabel, failureText, onCancel: onClose, onSubmit: submit })
        )}
      </Suspense>
    </Modal>
  );
}
