// "What would change?": a button that fetches a preview of the form, shown until the form changes.
import { Button, type ButtonProps } from "@mantine/core";
import { IconZoomQuestion } from "@tabler/icons-react";
import type { UseMutationOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import classes from "./preview.module.css";

export interface PreviewQuestionProps<Wish, Answer> {
  asking: UseMutationOptions<Answer, Error, Wish>;
  /** Null when the form has no change to preview. */
  wish: Wish | null;
  button?: Pick<ButtonProps, "variant" | "size">;
  children: (answer: Answer, wish: Wish) => ReactNode;
}

/** Hides the result as soon as the form changes. */
export function PreviewQuestion<Wish, Answer>({ asking, wish, button, children }: PreviewQuestionProps<Wish, Answer>) {
  const { mutate, data, error, variables, isPending } = useMutation(asking);
  const isCurrent = JSON.stringify(variables) === JSON.stringify(wish);
  return (
    <>
      <Button
        variant="default"
        {...button}
        leftSection={<IconZoomQuestion size={16} aria-hidden />}
        loading={isPending}
        disabled={wish === null}
        onClick={() => wish !== null && mutate(wish)}
      >
        What would change?
      </Button>
      <div aria-live="polite">
        {isCurrent && wish !== null && data !== undefined && children(data, wish)}
        {isCurrent && error !== null && (
          <p className={classes.refused} role="alert">
            {messageOf(error)}
          </p>
        )}
      </div>
    </>
  );
}

export interface PreviewPersonProps {
  name: string;
  email: string;
  /** The effect on the user. */
  children: ReactNode;
}

export function PreviewPerson({ name, email, children }: PreviewPersonProps) {
  return (
    <li className={classes.person}>
      <div className={classes.who}>
        <span className={classes.name}>{name}</span>
        <span className={classes.email}>{email}</span>
      </div>
      {children}
    </li>
  );
}
