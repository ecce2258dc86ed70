// The vault's "Rotate Password" dialog (VAULT-32, VAULT-33, VAULT-49).
import type { Credential } from "@strongroom/contract";
import { RotateDialog } from "#shared/rotation/rotate-dialog.tsx";
import { rotationObstacle } from "#shared/rotation/rotation-obstacle.ts";
import { toast } from "#shared/ui/toast.ts";

export interface RotateCredentialDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
}

export function RotateCredentialDialog({ credential, opened, onClose }: RotateCredentialDialogProps) {
  const { id, name } = credential;
  return (
    <RotateDialog
      of={{ kind: "credential", id, name }}
      opened={opened}
      onClose={onClose}
      obstacle={rotationObstacle(credential.connector, false)}
      showFailure={(reason) => toast.error(`Failed to initiate rotation: ${reason}`)}
    />
  );
}
