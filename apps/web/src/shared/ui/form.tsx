// The form of the app: fields, validation, server errors, Cancel and a submit button.
import { Button, Group, Stack, type ButtonProps } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { FailureAlert, focusFirstError } from "./failure-alert.tsx";
import { toast } from "./toast.ts";
import { useIsHere } from "./use-is-here.ts";

type Errors<Values> = Partial<Record<keyof Values, string>>;

export interface FormProps<Values extends object> {
  /** The form's accessible name; in a dialog, the title may be enough. */
  label?: string;
  initial: Values;
  /** Returns the errors by field, usually of the contract's schema; empty when the values are valid. */
  check?: (values: Values) => Errors<Values>;
  /** Maps a server error to fields. */
  objectionsIn?: (error: unknown) => Errors<Values>;
  /** The heading above the server's reason; a function returns the whole text. */
  failureText: string | ((error: unknown) => string);
  submitLabel: string;
  /** The appearance of the submit button. */
  submit?: Pick<ButtonProps, "color" | "leftSection">;
  /** Whether the submit button is disabled, because something required is missing or nothing was changed. */
  isDisabled?: (form: UseFormReturnType<Values>) => boolean;
  cancelLabel?: string;
  /** Without this callback, the form has no Cancel button. */
  onCancel?: () => void;
  /**
   * Rejects when the server refuses. `isHere` returns false once the form was closed: then there is nothing to close.
   */
  onSubmit: (values: Values, isHere: () => boolean) => Promise<unknown>;
  /** A CSS length. */
  maxWidth?: string;
  /** In one row with the buttons, before them. */
  renderBeside?: (form: UseFormReturnType<Values>) => ReactNode;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

/**
 * Hides the error when the user edits the form, shows it as a toast when the form was closed in the meantime, and
 * focuses the first invalid field.
 */
export function Form<Values extends object>({
  label,
  initial,
  check = () => ({}),
  objectionsIn,
  failureText,
  submitLabel,
  submit: look,
  isDisabled,
  cancelLabel = "Cancel",
  onCancel,
  onSubmit,
  maxWidth,
  renderBeside,
  children,
}: FormProps<Values>) {
  const [failure, setFailure] = useState<{ title?: string; message: string } | null>(null);
  const isHere = useIsHere();
  const form = useForm<Values>({
    initialValues: initial,
    validate: check,
    onValuesChange: () => setFailure(null),
  });
  const isIncomplete = isDisabled?.(form) === true;

  async function submit(values: Values): Promise<void> {
    // Enter in a field submits the form too.
    if (isIncomplete) return;
    setFailure(null);
    try {
      await onSubmit(values, isHere);
    } catch (error) {
      const reason =
        typeof failureText === "string"
          ? { title: failureText, message: messageOf(error) }
          : { message: failureText(error) };
      if (!isHere()) {
        toast.error(reason.message, reason);
        return;
      }
      if (objectionsIn !== undefined) form.setErrors(objectionsIn(error));
      setFailure(reason);
    }
  }

  return (
    <form aria-label={label} onSubmit={form.onSubmit(submit, focusFirstError(form))} noValidate style={{ maxWidth }}>
      <Stack gap="md">
        {children(form)}
        {failure !== null && <FailureAlert {...failure} />}
        <Group justify={onCancel === undefined ? "space-between" : "flex-end"} align="flex-start" gap="xs">
          {renderBeside?.(form)}
          {onCancel !== undefined && (
            <Button variant="default" onClick={onCancel} disabled={form.submitting}>
              {cancelLabel}
            </Button>
          )}
          <Button {...look} type="submit" loading={form.submitting} disabled={isIncomplete}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
