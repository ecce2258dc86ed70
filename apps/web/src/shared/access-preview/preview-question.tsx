// "What would change?": a button that asks the server about what a form says, and its answer while the form still says so.
import { Button, type ButtonProps } from "@mantine/core";
import { IconZoomQuestion } from "@tabler/icons-react";
import type { UseMutationOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import classes from "./preview.module.css";

export interface PreviewQuestionProps<Wish, Answer> {
  asking: UseMutationOptions<Answer, Error, Wish>;
  /** Null while there is nothing to ask. */
  wish: Wish | null;
  button?: Pick<ButtonProps, "variant" | "size">;
  children: (answer: Answer, wish: Wish) => ReactNode;
}

/** The answer goes as soon as the form says something else. */
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
  /** What would happen to them. */
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
