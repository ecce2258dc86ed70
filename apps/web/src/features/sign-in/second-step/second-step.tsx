// The second sign-in step: verifies a factor, or sets up the first one when the user's role requires it.
import { Button, Stack, Text } from "@mantine/core";
import { IconDeviceMobile, IconFingerprint } from "@tabler/icons-react";
import type { FactorKind, SecondStep as Step, SignedIn } from "@strongroom/contract";
import { useState } from "react";
import { isCallError } from "#shared/api/call-error.ts";
import { NewFactor } from "#shared/factors/new-factor.tsx";
import { canUsePasskeys } from "#shared/factors/passkey.ts";
import { ProofForm } from "#shared/factors/proof-form.tsx";
import { addFirstFactor, beginFirstFactor, completeSignIn, type FactorProof } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import type { Enrolment } from "#shared/factors/new-factor.tsx";
import { RecoveryCodes } from "#shared/factors/recovery-codes.tsx";

export interface SecondStepProps {
  step: Step;
  onSignedIn: (reply: SignedIn) => void;
  /** Returns to the password, with a reason unless the user chose to go back. */
  onRestart: (why: string | null) => void;
}

const isOver = (error: unknown): error is Error => isCallError(error) && error.code === "second-step.over";

export function SecondStep({ step, onSignedIn, onRestart }: SecondStepProps) {
  if (step.kinds.length === 0) return <FirstFactor step={step} onSignedIn={onSignedIn} onRestart={onRestart} />;
  return (
    <ProofForm
      label="Second step"
      kinds={step.kinds}
      passkey={step.passkey}
      submitLabel="Continue"
      cancelLabel="Back"
      onCancel={() => onRestart(null)}
      onProof={async (proof) => {
        if (proof.kind === "password") return;
        try {
          onSignedIn(await finishSecondStep(step.pending, proof));
        } catch (error) {
          if (!isOver(error)) throw error;
          onRestart(error.message);
        }
      }}
    />
  );
}

function FirstFactor({ step, onSignedIn, onRestart }: SecondStepProps) {
  const [kind, setKind] = useState<FactorKind | null>(null);
  const [done, setDone] = useState<{ token: string; codes: string[] } | null>(null);
  if (done !== null) {
    const enter = () => onSignedIn({ token: done.token });
    return <RecoveryCodes codes={done.codes} doneLabel="Continue" onDone={enter} />;
  }
  if (kind !== null) {
    return (
      <NewFactor
        kind={kind}
        enrolment={firstEnrolment(step.pending)}
        cancelLabel="Back"
        onCancel={() => setKind(null)}
        onAdded={({ token, codes }) => setDone({ token: token ?? "", codes: codes ?? [] })}
      />
    );
  }
  return (
    <Stack gap="md">
      <Text size="sm">Your role requires a second factor. Set one up now; it takes a minute.</Text>
      <Button size="md" leftSection={<IconDeviceMobile size={18} aria-hidden />} onClick={() => setKind("totp")}>
        Use an Authenticator App
      </Button>
      {canUsePasskeys() && (
        <Button
          size="md"
          variant="default"
          leftSection={<IconFingerprint size={18} aria-hidden />}
          onClick={() => setKind("passkey")}
        >
          Use a Passkey
        </Button>
      )}
      <Button variant="subtle" onClick={() => onRestart(null)}>
        Back
      </Button>
    </Stack>
  );
}

/** For a sign-in that requires a second factor. */
const firstEnrolment = (pending: string): Enrolment => ({
  begin: (kind) => call(beginFirstFactor, { body: { pending, kind } }),
  finish: async (answer) => {
    const { token, recovery_codes: codes } = await call(addFirstFactor, { body: { pending, answer } });
    return { codes, token };
  },
});

const finishSecondStep = (pending: string, proof: FactorProof): Promise<SignedIn> =>
  call(completeSignIn, { body: { pending, proof } });
