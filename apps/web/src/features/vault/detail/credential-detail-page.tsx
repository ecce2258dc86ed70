// One credential: its details, verification, history and actions (VAULT-37 to VAULT-51).
import { Button, Stack } from "@mantine/core";
import { IconCopy, IconEye, IconPencil, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { RotationHistory } from "#shared/rotation/rotation-history.tsx";
import { rotationObstacle } from "#shared/rotation/rotation-obstacle.ts";
import { RotationPanel } from "#shared/rotation/rotation-panel.tsx";
import type { Rotated } from "#shared/rotation/rotation.queries.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { DetailColumns, DetailHeader, DetailLoaded, DetailPanel, type ParentList } from "#shared/ui/detail-page.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ClosedVault } from "../list/closed-vault.tsx";
import { ConnectionSection } from "./connection-section.tsx";
import { CredentialHistory } from "./credential-history.tsx";
import { addressOf, typeLabel } from "../credential-labels.ts";
import { credentialDetail, credentialVersions } from "../credentials.queries.ts";
import { DeleteCredentialDialog } from "../delete-credential-dialog.tsx";
import { EditCredentialDialog } from "../form/credential-form-dialogs.tsx";
import { HostKeyAlarmBanner } from "./host-key-alarm-banner.tsx";
import { InformationSection } from "./information-section.tsx";
import { useLiveCredentials } from "../live-credentials.ts";
import { NOT_FOUND, NOT_LOADED, loadFailureText } from "../load-failure.ts";
import { RotateCredentialDialog } from "./rotate-credential-dialog.tsx";
import { SecretDialog } from "#shared/ui/secret-dialog.tsx";
import { useCopySecret } from "../use-copy-secret.ts";
import { SecretVersionList } from "#shared/rotation/secret-version-list.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { VerificationPanel } from "../verification/verification-panel.tsx";

interface CredentialVersionsProps {
  id: Credential["id"];
  /** The version being copied. */
  copying: number | null;
  onCopy: (version: number) => void;
}

const ICON_SIZE = 16;

const LIST: ParentList = { to: paths.vault, title: "Credential Vault", backLabel: "Back to Vault" };

export default function CredentialDetailPage() {
  const { id = "" } = useParams();
  const detail = useQuery(credentialDetail(id));
  useLiveCredentials();
  return (
    <DetailLoaded
      query={detail}
      list={LIST}
      loadingText="Loading credential details..."
      isMissing={(error) => loadFailureText(error) === NOT_FOUND}
      missing={{ title: "Credential Not Found", text: NOT_FOUND }}
      failure={{ title: "Credential", text: NOT_LOADED }}
    >
      {(credential) => <Detail key={credential.id} credential={credential} />}
    </DetailLoaded>
  );
}

type Dialog = "rotate" | "edit" | "delete";

function Detail({ credential }: { credential: Credential }) {
  const navigate = useNavigate();
  const isPending = useIsPending();
  const { isCopying, copying, copy, copyVersion, show, isShowing, shown, hide } = useCopySecret(credential.id);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const propsOf = (which: Dialog) => ({
    credential,
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });
  const where = addressOf(credential);
  const rotated: Rotated = { kind: "credential", id: credential.id, name: credential.name };

  return (
    <>
      <DetailHeader
        list={LIST}
        notice={<ClosedVault />}
        title={credential.name}
        subtitle={`${typeLabel(credential)}${where === null ? "" : ` · ${where}`}`}
        actions={
          <>
            <Button leftSection={<IconCopy size={ICON_SIZE} aria-hidden />} onClick={copy} loading={isCopying}>
              Copy Password
            </Button>
            <Button
              variant="default"
              leftSection={<IconEye size={ICON_SIZE} aria-hidden />}
              onClick={show}
              loading={isShowing}
            >
              Show Password
            </Button>
          </>
        }
      />
      <SecretDialog title={`Password of ${credential.name}`} secret={shown} opened={shown !== null} onClose={hide} />
      <HostKeyAlarmBanner credential={credential} />
      <DetailColumns
        isActionsBelow
        main={
          <>
            <InformationSection credential={credential} />
            <ConnectionSection credential={credential} />
            {!isPending && <RotationHistory of={rotated} />}
            <CredentialVersions id={credential.id} copying={copying} onCopy={copyVersion} />
            <DetailPanel>
              <CredentialHistory id={credential.id} />
            </DetailPanel>
          </>
        }
        side={
          <>
            <VerificationPanel credential={credential} place="detail" />
            {!isPending && (
              <RotationPanel
                of={rotated}
                mayRotate
                remedies={{ store: () => setDialog("edit") }}
                obstacle={rotationObstacle(credential.connector, false)}
              />
            )}
            <SectionCard title="Actions">
              <Stack gap="xs">
                {!isPending && (
                  <Button
                    variant="default"
                    justify="flex-start"
                    leftSection={<IconRefresh size={ICON_SIZE} aria-hidden />}
                    onClick={() => setDialog("rotate")}
                  >
                    Rotate Password
                  </Button>
                )}
                <Button
                  variant="default"
                  justify="flex-start"
                  leftSection={<IconPencil size={ICON_SIZE} aria-hidden />}
                  onClick={() => setDialog("edit")}
                >
                  Edit Credential
                </Button>
                <Button
                  variant="light"
                  color="red"
                  justify="flex-start"
                  leftSection={<IconTrash size={ICON_SIZE} aria-hidden />}
                  onClick={() => setDialog("delete")}
                >
                  Delete Credential
                </Button>
              </Stack>
            </SectionCard>
          </>
        }
      />
      <RotateCredentialDialog {...propsOf("rotate")} />
      <EditCredentialDialog {...propsOf("edit")} />
      <DeleteCredentialDialog {...propsOf("delete")} isOnDetailPage onDeleted={() => void navigate(paths.vault)} />
    </>
  );
}

function CredentialVersions({ id, copying, onCopy }: CredentialVersionsProps) {
  const versions = useQuery(credentialVersions(id));
  return (
    <SectionCard title="Secret History" description="Copying an earlier secret is recorded in the audit trail.">
      <Loaded query={versions}>
        {(data) => (
          <SecretVersionList
            versions={data.versions}
            mayCopy={() => true}
            isCopying={({ version }) => copying === version}
            onCopy={onCopy}
          />
        )}
      </Loaded>
    </SectionCard>
  );
}
