// "Test": shows the result of each step of a connection to the provider.
import { TextInput } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconPlugConnected } from "@tabler/icons-react";
import type { IdentityProvider, ReplyOf, testIdentityProvider } from "@strongroom/contract";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { toneStyle } from "#shared/ui/tone.ts";
import { connectionTest } from "./identity-providers.queries.ts";
import classes from "./identity-providers.module.css";

export interface TestProviderDialogProps extends DialogProps {
  provider: IdentityProvider;
}

export function TestProviderDialog({ provider, opened, onClose }: TestProviderDialogProps) {
  const { mutateAsync: run, data: report } = useMutation(connectionTest(provider.id));
  return (
    <Modal opened={opened} onClose={onClose} title={`Test ${provider.name}`}>
      <Form
        label="Test"
        initial={{ username: "" }}
        submitLabel="Test"
        submit={{ leftSection: <IconPlugConnected size={16} aria-hidden /> }}
        cancelLabel="Done"
        onCancel={onClose}
        onSubmit={({ username }) => run(username)}
      >
        {(form) => (
          <>
            {provider.kind === "ldap" && (
              <TextInput
                label="User name or email"
                description="The user to look up; no password is needed. Leave empty to test only the connection"
                data-autofocus
                {...form.getInputProps("username")}
              />
            )}
            <div aria-live="polite">{report !== undefined && <Steps report={report} />}</div>
          </>
        )}
      </Form>
    </Modal>
  );
}

function Steps({ report }: { report: ReplyOf<typeof testIdentityProvider> }) {
  return (
    <ul className={classes.steps} aria-label="Test results">
      {report.steps.map(({ is_good: isGood, text }) => (
        <li key={text} className={classes.step} style={toneStyle(isGood ? "success" : "danger")}>
          {isGood ? (
            <IconCircleCheck className={classes.sign} size={17} role="img" aria-label="Passed" />
          ) : (
            <IconCircleX className={classes.sign} size={17} role="img" aria-label="Failed" />
          )}
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
