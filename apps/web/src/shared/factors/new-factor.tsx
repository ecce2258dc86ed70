// Sets up a second factor: shows the data for the app or device, and sends its first response.
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { FactorAnswer, FactorKind, NewFactor as Begun } from "@strongroom/contract";
import { useState, type FormEvent } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import classes from "./factors.module.css";
import { makePasskey } from "./passkey.ts";
import { QrCode } from "./qr-code.tsx";
import { useStepUpChallenge } from "./use-step-up-challenge.ts";

export interface Added {
  /** Recovery codes to show once; null when the user already has some. */
  codes: string[] | null;
  /** The session's token, when the factor was set up during a sign-in; else null. */
  token: string | null;
}

/** The two calls that set up a factor. */
export interface Enrolment {
  begin: (kind: FactorKind) => Promise<Begun>;
  finish: (answer: FactorAnswer) => Promise<Added>;
}

export interface NewFactorProps {
  kind: FactorKind;
  enrolment: Enrolment;
  onAdded: (added: Added) => void;
  cancelLabel?: string;
  onCancel: () => void;
}

const USUAL_NAME: Record<FactorKind, string> = { totp: "Authenticator app", passkey: "Passkey" };

export function NewFactor({ kind, enrolment, onAdded, cancelLabel = "Cancel", onCancel }: NewFactorProps) {
  const { answer: started, error, retry } = useStepUpChallenge(() => enrolment.begin(kind));
  const [name, setName] = useState(USUAL_NAME[kind]);
  const [code, setCode] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (started === null) return;
    if (name.trim() === "") return setFailure("Enter a name");
    if (kind === "totp" && code.trim() === "") return setFailure("Enter the code from the app");
    setFailure(null);
    setIsBusy(true);
    try {
      onAdded(await enrolment.finish(await answerOf(started, name, code)));
    } catch (thrown) {
      setFailure(messageOf(thrown));
    } finally {
      setIsBusy(false);
    }
  }

  if (error !== null) return <ErrorState message={messageOf(error)} onRetry={retry} />;
  if (started === null) return <SectionLoading text="Preparing..." />;
  return (
    <FormStack label={`Add ${USUAL_NAME[kind].toLowerCase()}`} onSubmit={(event) => void send(event)}>
      {started.totp === null ? (
        <Text size="sm">Use this computer, a phone or a security key. It asks for your fingerprint, face or PIN.</Text>
      ) : (
        <Scan uri={started.totp.uri} secret={started.totp.key} />
      )}
      <TextInput
        label="Name"
        description="Helps you recognise it later."
        value={name}
        maxLength={60}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {kind === "totp" && (
        <TextInput
          label="Code"
          description="The current 6-digit code from the app."
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
      {failure !== null && <FailureAlert message={failure} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel} disabled={isBusy}>
          {cancelLabel}
        </Button>
        <Button type="submit" loading={isBusy}>
          {kind === "totp" ? "Add app" : "Create passkey"}
        </Button>
      </Group>
    </FormStack>
  );
}

async function answerOf(started: Begun, name: string, code: string) {
  if (started.passkey === null) return { kind: "totp", name: name.trim(), code: code.trim() } as const;
  return { kind: "passkey", name: name.trim(), response: await makePasskey(started.passkey) } as const;
}

function Scan({ uri, secret }: { uri: string; secret: string }) {
  return (
    <div className={classes.scan}>
      <QrCode text={uri} label="QR code for the authenticator app" />
      <div>
        <Stack gap="xs">
          <Text size="sm">Scan this with an authenticator app, or enter the key manually:</Text>
          <CodeBlock code={secret} label="key" isWrapped />
        </Stack>
      </div>
    </div>
  );
}
