// Shows why a form was not saved, visible wherever the user has scrolled (ACC-76 to ACC-80).
import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { UseFormReturnType } from "@mantine/form";

const bringIntoView = (alert: HTMLDivElement | null): void => alert?.scrollIntoView?.({ block: "nearest" });

export function FailureAlert({ title, message }: { title?: string; message: string }) {
  return (
    <Alert
      ref={bringIntoView}
      color="red"
      variant="light"
      role="alert"
      title={title}
      icon={<IconAlertTriangle aria-hidden />}
    >
      {message}
    </Alert>
  );
}

/**
 * For the second argument of `form.onSubmit`: without it, an invalid field outside the viewport would block saving
 * for no visible reason.
 */
export const focusFirstError =
  <Values,>(form: UseFormReturnType<Values>) =>
  (errors: object): void =>
    form.getInputNode(Object.keys(errors)[0] ?? "")?.focus();
