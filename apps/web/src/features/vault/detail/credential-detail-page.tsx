// One credential: its details, verification, history and actions (VAULT-37 to VAULT-51).
import { Button, Stack } from "@mantine/core";
import { IconArrowLeft, IconCopy, IconPencil, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { RotationHistory } from "#shared/rotation/rotation-history.tsx";
import { rotationObstacle } from "#shared/rotation/rotation-obstacle.ts";
import { RotationPanel } from "#shared/rotation/rotation-panel.tsx";
import type { Rotated } from "#shared/rotation/rotation.queries.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { ClosedVault } from "../list/closed-vault.tsx";
import { ConnectionSection } from "./connection-section.tsx";
import classes from "./credential-detail-page.module.css";
import { CredentialHistory } from "./credential-history.tsx";
import { CredentialVersions } from "./credential-versions.tsx";
import { addressOf, typeLabel } from "../credential-labels.ts";
import { credentialDetail } from "../credentials.queries.ts";
import { DeleteCredentialDialog } from "../delete-credential-dialog.tsx";
import { EditCredentialDialog } from "../form/credential-form-dialogs.tsx";
import { HostKeyAlarmBanner } from "./host-key-alarm-banner.tsx";
import { InformationSection } from "./information-section.tsx";
import { useLiveCredentials } from "../live-credentials.ts";
import { NOT_FOUND, loadFailureText } from "../load-failure.ts";
import { RotateCredentialDialog } from "./rotate-credential-dialog.tsx";
import { useCopySecret } from "../use-copy-secret.ts";
import { VerificationPanel } from "../verification/verification-panel.tsx";

const ICON_SIZE = 16;

export default function CredentialDetailPage() {
  const { id = "" } = useParams();
  const detail = useQuery(credentialDetail(id));
  useLiveCredentials();

  if (detail.isPending) return <SectionLoading text="Loading credential details..." />;
  // A failed refresh keeps the page; only a missing credential replaces it.
  if (detail.isError && (detail.data === undefined || loadFailureText(detail.error) === NOT_FOUND)) {
    return <LoadFailure error={detail.error} onRetry={() => void detail.refetch()} isRetrying={detail.isFetching} />;
  }
  return detail.data === undefined ? null : <Detail key={detail.data.id} credential={detail.data} />;
}

const backToVault = (
  <Button
    component={Link}
    to={paths.vault}
    variant="default"
    leftSection={<IconArrowLeft size={ICON_SIZE} aria-hidden />}
  >
    Back to Vault
  </Button>
);

function LoadFailure({ error, onRetry, isRetrying }: { error: unknown; onRetry: () => void; isRetrying: boolean }) {
  const text = loadFailureText(error);
  if (text === NOT_FOUND) {
    return <PageHeader title="Credential Not Found" subtitle={text} actions={backToVault} />;
  }
  return (
    <>
      <PageHeader title="Credential" actions={backToVault} />
      <ErrorState message={text} onRetry={onRetry} isRetrying={isRetrying} />
    </>
  );
}

type Dialog = "rotate" | "edit" | "delete";

function Detail({ credential }: { credential: Credential }) {
  const navigate = useNavigate();
  const isPending = useIsPending();
  const { isCopying, copying, copy, copyVersion } = useCopySecret(credential.id);
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
      <Link to={paths.vault} className={classes.back}>
        <IconArrowLeft size={14} aria-hidden /> Credential Vault
      </Link>
      <ClosedVault />
      <PageHeader
        title={credential.name}
        subtitle={`${typeLabel(credential)}${where === null ? "" : ` · ${where}`}`}
        actions={
          <Button leftSection={<IconCopy size={ICON_SIZE} aria-hidden />} onClick={copy} loading={isCopying}>
            Copy Password
          </Button>
        }
      />
      <HostKeyAlarmBanner credential={credential} />
      <div className={classes.columns}>
        <Stack gap="md" className={classes.main}>
          <InformationSection credential={credential} />
          <ConnectionSection credential={credential} />
          {!isPending && <RotationHistory of={rotated} />}
          <CredentialVersions id={credential.id} copying={copying} onCopy={copyVersion} />
          <div className={classes.history}>
            <CredentialHistory id={credential.id} />
          </div>
        </Stack>
        <Stack gap="md" className={classes.side}>
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
        </Stack>
      </div>
      <RotateCredentialDialog {...propsOf("rotate")} />
      <EditCredentialDialog {...propsOf("edit")} />
      <DeleteCredentialDialog {...propsOf("delete")} isOnDetailPage onDeleted={() => void navigate(paths.vault)} />
    </>
  );
}
