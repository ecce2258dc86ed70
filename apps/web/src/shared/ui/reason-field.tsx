// The field for the reason for an action. It gets the focus when its dialog opens.
import { Textarea, type TextareaProps } from "@mantine/core";

/** Spread the form's input props of the reason: `<ReasonField required {...form.getInputProps("reason")} />`. */
export function ReasonField(props: TextareaProps) {
  return <Textarea label="Reason" rows={2} resize="vertical" maxLength={500} data-autofocus {...props} />;
}
