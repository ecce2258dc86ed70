// The form in a dialog: fields, server errors, Cancel and a submit button.
import { Button, Group, Stack } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { FailureAlert, focusFirstError } from "./failure-alert.tsx";
import { toast } from "./toast.ts";
import { useIsHere } from "./use-is-here.ts";

type Errors<Values> = Partial<Record<keyof Values, string>>;

export interface DialogFormProps<Values extends object> {
  initial: Values;
  /** Returns the errors by field; empty when the values are valid. */
  check: (values: Values) => Errors<Values>;
  /** Maps a server error to fields. */
  objectionsIn?: (error: unknown) => Errors<Values>;
  submitLabel: string;
  /** The heading above the server's reason. */
  failureText: string;
  onCancel: () => void;
  /** Rejects when the server refuses. */
  onSubmit: (values: Values) => Promise<void>;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

/**
 * Hides the error when the user edits the form, shows it as a toast when the dialog was closed in the meantime, and
 * focuses the first invalid field.
 */
export function DialogForm<Values extends object>({
  initial,
  check,
  objectionsIn,
  submitLabel,
  failureText,
  onCancel,
  onSubmit,
  children,
}: DialogFormProps<Values>) {
  const [failure, setFailure] = useState<string | null>(null);
  const isHere = useIsHere();
  const form = useForm<Values>({
    initialValues: initial,
    validate: check,
    onValuesChange: () => setFailure(null),
  });

  async function submit(values: Values): Promise<void> {
    setFailure(null);
    try {
      await onSubmit(values);
    } catch (error) {
      if (!isHere()) {
        toast.error(messageOf(error), { title: failureText });
        return;
      }
      if (objectionsIn !== undefined) form.setErrors(objectionsIn(error));
      setFailure(messageOf(error));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit, focusFirstError(form))} noValidate>
      <Stack gap="md">
        {children(form)}
        {failure !== null && <FailureAlert title={failureText} message={failure} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={form.submitting}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
