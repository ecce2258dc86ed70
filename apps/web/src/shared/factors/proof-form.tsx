// Authenticates the user again with a passkey, a TOTP code, a recovery code or the password.
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import type { PasskeyRequest, StepUpProof } from "@strongroom/contract";
import { useState } from "react";
import { Form } from "#shared/ui/form.tsx";
import { answerWithPasskey, canUsePasskeys } from "./passkey.ts";

export type ProofKind = StepUpProof["kind"];

export interface ProofFormProps {
  /** The form's accessible name. */
  label: string;
  kinds: readonly ProofKind[];
  passkey: PasskeyRequest | null;
  submitLabel: string;
  /** Rejects with the reason why the proof was not accepted. */
  onProof: (proof: StepUpProof) => Promise<void>;
  cancelLabel: string;
  onCancel: () => void;
}

const INSTEAD: Record<ProofKind, string> = {
  passkey: "Use a Passkey",
  totp: "Use an Authenticator App Code",
  recovery: "Use a Recovery Code",
  password: "Use Your Password",
};

const ASKS: Record<Exclude<ProofKind, "passkey">, { label: string; description?: string; autoComplete: string }> = {
  totp: {
    label: "Code",
    description: "The current 6-digit code from your authenticator app.",
    autoComplete: "one-time-code",
  },
  recovery: { label: "Recovery code", description: "Each code works once.", autoComplete: "off" },
  password: { label: "Password", autoComplete: "current-password" },
};

const EMPTY: Record<Exclude<ProofKind, "passkey">, string> = {
  totp: "Enter the code",
  recovery: "Enter a recovery code",
  password: "Enter your password",
};

const typed = (kind: Exclude<ProofKind, "passkey">, text: string): StepUpProof =>
  kind === "password" ? { kind, password: text } : { kind, code: text.trim() };

/** Leaves out passkeys where the browser cannot use them. */
const usable = (kinds: readonly ProofKind[]): ProofKind[] =>
  kinds.filter((kind) => kind !== "passkey" || canUsePasskeys());

export function ProofForm({ label, kinds, passkey, submitLabel, onProof, cancelLabel, onCancel }: ProofFormProps) {
  const ways = usable(kinds);
  const [chosen, setChosen] = useState<ProofKind | null>(null);
  const way = chosen ?? ways[0] ?? null;

  async function send(way: ProofKind, text: string): Promise<void> {
    if (way !== "passkey") await onProof(typed(way, text));
    else if (passkey !== null) await onProof({ kind: "passkey", response: await answerWithPasskey(passkey) });
  }

  if (way === null) return <NoWay onCancel={onCancel} cancelLabel={cancelLabel} />;
  return (
    <Form
      key={way}
      label={label}
      initial={{ text: "" }}
      check={({ text }) => (way !== "passkey" && text.trim() === "" ? { text: EMPTY[way] } : {})}
      submitLabel={way === "passkey" ? "Use Your Passkey" : submitLabel}
      submit={{
        size: "md",
        ...(way === "passkey" && {
          leftSection: <IconFingerprint size={18} aria-hidden />,
          "data-autofocus": true,
        }),
      }}
      cancelLabel={cancelLabel}
      onCancel={onCancel}
      onSubmit={async ({ text }, _, form) => {
        try {
          await send(way, text);
        } catch (error) {
          form.reset();
          throw error;
        }
      }}
      renderBelow={() => (
        <Stack gap={4} align="center">
          {ways
            .filter((kind) => kind !== way)
            .map((kind) => (
              <Anchor key={kind} component="button" type="button" size="sm" onClick={() => setChosen(kind)}>
                {INSTEAD[kind]}
              </Anchor>
            ))}
        </Stack>
      )}
    >
      {(form) =>
        way === "passkey" ? (
          <Text size="sm">Your device will ask for your fingerprint, face or PIN.</Text>
        ) : (
          <Field kind={way} {...form.getInputProps("text")} />
        )
      }
    </Form>
  );
}

/** Takes the input props of the form. */
function Field({ kind, ...field }: { kind: Exclude<ProofKind, "passkey"> }) {
  const common = {
    ...ASKS[kind],
    ...field,
    size: "md" as const,
    "data-autofocus": true,
    // Focused immediately, because the user opened the form to type this.
    autoFocus: true,
  };
  if (kind === "password") return <PasswordInput {...common} />;
  return <TextInput {...common} inputMode={kind === "totp" ? "numeric" : "text"} spellCheck={false} />;
}

function NoWay({ cancelLabel, onCancel }: Pick<ProofFormProps, "cancelLabel" | "onCancel">) {
  return (
    <Stack gap="md">
      <Text size="sm">You cannot re-authenticate here. Sign out and sign in again instead.</Text>
      <Button variant="default" onClick={onCancel}>
        {cancelLabel}
      </Button>
    </Stack>
  );
}
