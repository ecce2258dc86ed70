// Sets up a second factor: shows the data for the app or device, and sends its first response.
import { Stack, Text, TextInput, Skeleton } from "@mantine/core";
import type { FactorAnswer, FactorKind, NewFactor as Begun } from "@strongroom/contract";
import { useEffect, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { Form } from "#shared/ui/form.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
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

interface Values {
  name: string;
  /** Only for an authenticator app. */
  code: string;
}

const USUAL_NAME: Record<FactorKind, string> = { totp: "Authenticator app", passkey: "Passkey" };

export function NewFactor({ kind, enrolment, onAdded, cancelLabel = "Cancel", onCancel }: NewFactorProps) {
  const { answer: started, error, retry } = useStepUpChallenge(() => enrolment.begin(kind));
  if (error !== null) return <ErrorState message={messageOf(error)} onRetry={retry} />;
  if (started === null) return <SectionLoading text="Preparing..." />;
  return (
    <Form<Values>
      label={`Add ${USUAL_NAME[kind].toLowerCase()}`}
      initial={{ name: USUAL_NAME[kind], code: "" }}
      check={(values) => check(kind, values)}
      submitLabel={kind === "totp" ? "Add App" : "Create Passkey"}
      cancelLabel={cancelLabel}
      onCancel={onCancel}
      onSubmit={async (values) => onAdded(await enrolment.finish(await answerOf(started, values)))}
    >
      {(form) => (
        <>
          {started.totp === null ? (
            <Text size="sm">
              Use this computer, a phone or a security key. It asks for your fingerprint, face or PIN.
            </Text>
          ) : (
            <Scan uri={started.totp.uri} secret={started.totp.key} />
          )}
          <TextInput
            label="Name"
            description="Helps you recognise it later."
            maxLength={60}
            {...form.getInputProps("name")}
          />
          {kind === "totp" && (
            <TextInput
              label="Code"
              description="The current 6-digit code from the app."
              inputMode="numeric"
              autoComplete="one-time-code"
              {...form.getInputProps("code")}
            />
          )}
        </>
      )}
    </Form>
  );
}

function check(kind: FactorKind, { name, code }: Values): Partial<Values> {
  return {
    ...(name.trim() === "" && { name: "Enter a name" }),
    ...(kind === "totp" && code.trim() === "" && { code: "Enter the code from the app" }),
  };
}

async function answerOf(started: Begun, { name, code }: Values) {
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
