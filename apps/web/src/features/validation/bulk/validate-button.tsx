// "Validate": verifies one secret now, shows toasts and reloads the lists (VAL-53, VAL-65 to VAL-67).
import { Button } from "@mantine/core";
import { IconShieldCheck } from "@tabler/icons-react";
import { useIsMutating, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useMutation } from "#shared/api/use-mutation.ts";
import { announceFailure, announceStart, announceSuccess } from "../notices/announce-validation.ts";
import { refreshValidation, validate, type Validated } from "../validation.queries.ts";

/** VAL-53. */
const RELOAD_AFTER_MS = 2_000;

export function ValidateButton({ of: secret }: { of: Validated }) {
  const client = useQueryClient();
  const mutationKey = ["validate", secret.account_id];
  const { mutateAsync } = useMutation({ mutationKey, mutationFn: () => validate(secret) });
  const isUnderWay = useIsMutating({ mutationKey }) > 0;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function start(): Promise<void> {
    announceStart(secret);
    timer.current = setTimeout(() => void refreshValidation(client), RELOAD_AFTER_MS);
    const works = await mutateAsync().catch(() => false);
    if (works) announceSuccess(secret);
    else announceFailure(secret);
    // Reloads again, because a slow target may answer after the timer.
    await refreshValidation(client);
  }

  return (
    <Button
      size="compact-sm"
      variant="light"
      leftSection={<IconShieldCheck size={15} aria-hidden />}
      aria-label={isUnderWay ? `Validating ${secret.account_name}` : `Validate ${secret.account_name}`}
      onClick={() => void start()}
      disabled={isUnderWay}
    >
      {isUnderWay ? "In Progress" : "Validate"}
    </Button>
  );
}
