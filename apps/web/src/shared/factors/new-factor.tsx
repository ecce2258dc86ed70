// Sets up a second factor: shows the data for the app or device, and sends its first response.
import { Button, Group, Stack, Text, TextInput, Skeleton } from "@mantine/core";
import type { FactorAnswer, FactorKind, NewFactor as Begun } from "@strongroom/contract";
import { useState, type FormEvent, useEffect } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import classes from "./factors.module.css";
import { makePasskey } from "./passkey.ts";
import { useStepUpChallenge } from "./use-step-up-challenge.ts";

const QUIET = 4;

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

/** An SVG path with one unit per module. */
async function squaresOf(text: string): Promise<{ size: number; path: string }> {
  const { generate } = await import("lean-qr");
  const code = generate(text);
  let path = "";
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  return { size: code.size + 2 * QUIET, path };
}

function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    void squaresOf(text).then((squares) => isWanted && setDrawn(squares));
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (drawn === null) return <Skeleton className={classes.qr} />;
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={drawn.size} height={drawn.size} fill="#fff" />
      <path d={drawn.path} fill="#000" />
    </svg>
  );
}
