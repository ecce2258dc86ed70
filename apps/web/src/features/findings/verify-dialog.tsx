// Asks the system that a secret opens whether it works.
import type { SecurityFinding } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { LIVENESS_LABELS } from "./finding-labels.ts";
import classes from "./findings.module.css";
import { findingVerification } from "./findings.queries.ts";
import { LoginFields, emptyLogin, loginIn, type LoginFormValues } from "./vault-dialog.tsx";

interface VerifyDialogProps extends DialogProps {
  finding: SecurityFinding;
  /** Gets the login with which the secret works. */
  onLive: (login: LoginFormValues) => void;
}

export function VerifyDialog({ finding, onLive, ...props }: VerifyDialogProps) {
  const { mutateAsync: verify } = useMutation(findingVerification(useQueryClient(), finding.id));
  return (
    <FormDialog
      {...props}
      title="Verify Secret"
      initial={emptyLogin(finding)}
      submitLabel="Verify"
      failureText="Failed to verify the secret"
      save={async (values: LoginFormValues) => {
        const result = await verify(loginIn(values));
        if (result.liveness === "live") onLive(values);
        return result;
      }}
      done={({ liveness, message }) => `${LIVENESS_LABELS[liveness]}. ${message}`}
    >
      {(dialog) => (
        <Form {...dialog}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                Logs in once with the secret. At most two logins within 15 minutes, so that no account is locked.
              </p>
              <LoginFields form={form} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
