// Asks the user to re-authenticate when a call requires it, then retries the call. Concurrent calls share one dialog.
import { Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { configureCalls } from "#shared/api/call.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { requestStepUp, sendStepUp } from "./factors.queries.ts";
import { ProofForm } from "#shared/factors/proof-form.tsx";
import { ProviderProof } from "./provider-proof.tsx";
import { useStepUpChallenge } from "#shared/factors/use-step-up-challenge.ts";

export default function StepUpDialog() {
  const [isOpen, setIsOpen] = useState(false);
  const settle = useRef<((isProved: boolean) => void) | null>(null);

  useEffect(() => {
    let waiting: Promise<boolean> | null = null;
    configureCalls({
      proveAgain: () => {
        waiting ??= new Promise<boolean>((resolve) => {
          settle.current = (isProved) => {
            waiting = null;
            setIsOpen(false);
            resolve(isProved);
          };
          setIsOpen(true);
        });
        return waiting;
      },
    });
    return () => configureCalls({ proveAgain: async () => false });
  }, []);

  const end = (isProved: boolean) => settle.current?.(isProved);
  return (
    <Modal opened={isOpen} onClose={() => end(false)} title="Confirm Your Identity" size="sm" isOnTop>
      {isOpen && <Ask onEnd={end} />}
    </Modal>
  );
}

function Ask({ onEnd }: { onEnd: (isProved: boolean) => void }) {
  const { answer: asked, error, retry } = useStepUpChallenge(requestStepUp);
  if (error !== null) return <ErrorState message={messageOf(error)} onRetry={retry} />;
  if (asked === null) return <SectionLoading text="One moment..." />;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        This action requires re-authentication. Nothing has changed yet.
      </Text>
      {asked.provider === null ? (
        <ProofForm
          label="Re-authenticate"
          kinds={asked.kinds}
          passkey={asked.passkey}
          submitLabel="Continue"
          cancelLabel="Cancel"
          onCancel={() => onEnd(false)}
          onProof={async (proof) => {
            await sendStepUp(proof);
            onEnd(true);
          }}
        />
      ) : (
        <ProviderProof name={asked.provider.name} onProved={() => onEnd(true)} onCancel={() => onEnd(false)} />
      )}
    </Stack>
  );
}
