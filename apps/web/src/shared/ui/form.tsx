// The form of the app: fields, validation, server errors, Cancel and a submit button.
import { Button, Stack, type ButtonProps } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState, type FormEvent, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { DialogButtons } from "./dialog-buttons.tsx";
import { FailureAlert, focusFirstError } from "./failure-alert.tsx";
import { toast } from "./toast.ts";
import { useIsHere } from "./use-is-here.ts";

type Errors<Values> = Partial<Record<keyof Values, string>>;

interface Failure {
  title?: string;
  message: string;
}

export interface FormProps<Values extends object> {
  /** The form's accessible name; in a dialog, the title may be enough. */
  label?: string;
  initial: Values;
  /** Returns the errors by field, usually of the contract's schema; empty when the values are valid. */
  check?: (values: Values) => Errors<Values>;
  /** Maps a server error to fields. */
  objectionsIn?: (error: unknown) => Errors<Values>;
  /**
   * The heading above the server's reason. A function returns the whole text, or null when a field shows the reason.
   * Without it, the reason has no heading.
   */
  failureText?: string | ((error: unknown) => string | Failure | null);
  submitLabel: string | ((values: Values) => string);
  /** The appearance of the submit button. */
  submit?: Pick<ButtonProps, "color" | "leftSection" | "size" | "fullWidth"> & { "data-autofocus"?: boolean };
  /** Whether the submit button is disabled, because something required is missing or nothing was changed. */
  isDisabled?: (form: UseFormReturnType<Values>) => boolean;
  cancelLabel?: string;
  /** Without this callback, the form has no Cancel button. */
  onCancel?: () => void;
  /**
   * Rejects when the server refuses. `isHere` returns false once the form was closed: then there is nothing to close.
   */
  onSubmit: (values: Values, isHere: () => boolean, form: UseFormReturnType<Values>) => Promise<unknown>;
  /** A CSS length. */
  maxWidth?: string;
  /** In one row with the buttons, before them. */
  renderBeside?: (form: UseFormReturnType<Values>) => ReactNode;
  /** Below the buttons. */
  renderBelow?: (form: UseFormReturnType<Values>) => ReactNode;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

type Submission<Values extends object> = Pick<
  FormProps<Values>,
  "initial" | "check" | "objectionsIn" | "failureText" | "isDisabled" | "onSubmit"
> & {
  /** Called at every edit, after the failure is hidden. */
  onEdit?: (form: UseFormReturnType<Values>) => void;
};

/**
 * The state of a form, for `Form` and for a form with its own layout. Hides the error when the user edits the
 * form, shows it as a toast when the form was closed in the meantime, and focuses the first invalid field.
 */
export function useSubmission<Values extends object>({
  initial,
  check = () => ({}),
  objectionsIn,
  failureText = (error) => messageOf(error),
  isDisabled,
  onSubmit,
  onEdit,
}: Submission<Values>) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const isHere = useIsHere();
  const form = useForm<Values>({
    initialValues: initial,
    validate: check,
    onValuesChange: () => {
      setFailure(null);
      onEdit?.(form);
    },
  });
  const isIncomplete = isDisabled?.(form) === true;

  function explain(error: unknown): Failure | null {
    if (typeof failureText === "string") return { title: failureText, message: messageOf(error) };
    const text = failureText(error);
    return typeof text === "string" ? { message: text } : text;
  }

  async function submit(values: Values): Promise<void> {
    // Enter in a field submits the form too.
    if (isIncomplete) return;
    setFailure(null);
    try {
      await onSubmit(values, isHere, form);
    } catch (error) {
      const reason = explain(error);
      if (!isHere()) {
        const shown = reason ?? { message: messageOf(error) };
        toast.error(shown.message, shown);
        return;
      }
      if (objectionsIn !== undefined) form.setErrors(objectionsIn(error));
      setFailure(reason);
    }
  }

  const send = form.onSubmit(submit, focusFirstError(form));
  return {
    form,
    failure,
    isIncomplete,
    submit: (event: FormEvent<HTMLFormElement>) => (isListOpen() ? event.preventDefault() : send(event)),
  };
}

/** An open list handles Enter, even while no option is highlighted. */
const isListOpen = (): boolean => document.activeElement?.matches('[role="combobox"][aria-expanded="true"]') === true;

/** `useSubmission` says how it shows errors. */
export function Form<Values extends object>(props: FormProps<Values>) {
  const { label, submitLabel, submit: look, cancelLabel = "Cancel", onCancel, maxWidth } = props;
  const { renderBeside, renderBelow, children } = props;
  const { form, failure, isIncomplete, submit } = useSubmission(props);
  return (
    <form aria-label={label} onSubmit={submit} noValidate style={{ maxWidth }}>
      <Stack gap="md">
        {children(form)}
        {failure !== null && <FailureAlert {...failure} />}
        <DialogButtons justify={onCancel === undefined ? "space-between" : "flex-end"}>
          {renderBeside?.(form)}
          {onCancel !== undefined && (
            <Button variant="default" size={look?.size} onClick={onCancel} disabled={form.submitting}>
              {cancelLabel}
            </Button>
          )}
          <Button {...look} type="submit" loading={form.submitting} disabled={isIncomplete}>
            {typeof submitLabel === "function" ? submitLabel(form.values) : submitLabel}
          </Button>
        </DialogButtons>
        {renderBelow?.(form)}
      </Stack>
    </form>
  );
}
