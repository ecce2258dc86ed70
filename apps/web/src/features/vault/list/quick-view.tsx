// The content of "Credential Details": status, history, and buttons to copy and rotate the password (VAULT-13).
import { Button, Stack } from "@mantine/core";
import { IconCopy, IconRefresh } from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { useState } from "react";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { CredentialHistory } from "../detail/credential-history.tsx";
import { HostKeyAlarmBanner } from "../detail/host-key-alarm-banner.tsx";
import { informationOf } from "../detail/information-section.tsx";
import classes from "./quick-view.module.css";
import { RotateCredentialDialog } from "../detail/rotate-credential-dialog.tsx";
import { useCopySecret } from "../use-copy-secret.ts";
import { VerificationPanel } from "../verification/verification-panel.tsx";

export interface QuickViewProps {
  credential: Credential;
  onClose: () => void;
}

export default function QuickView({ credential, onClose }: QuickViewProps) {
  const { isCopying, copy } = useCopySecret(credential.id);
  const [isRotating, setIsRotating] = useState(false);
  return (
    <Stack gap="md">
      <div>
        <p className={classes.name}>{credential.name}</p>
        <Facts facts={informationOf(credential)} />
      </div>
      <HostKeyAlarmBanner credential={credential} />
      <VerificationPanel credential={credential} place="list" />
      <CredentialHistory id={credential.id} />
      <DialogButtons>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => setIsRotating(true)}
        >
          Rotate Password
        </Button>
        <Button leftSection={<IconCopy size={16} aria-hidden />} onClick={copy} loading={isCopying}>
          Copy Password
        </Button>
      </DialogButtons>
      <RotateCredentialDialog credential={credential} opened={isRotating} onClose={() => setIsRotating(false)} />
    </Stack>
  );
}
