// One safe: its details, accounts, members, access and history.
import { Alert, Button } from "@mantine/core";
import { IconArrowLeft, IconInfoCircle, IconPencil, IconTrash } from "@tabler/icons-react";
import type { Safe } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { isCallError } from "#shared/api/call-error.ts";
import { withParam } from "#shared/format/address.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { DeleteSafeDialog } from "../form/delete-safe-dialog.tsx";
import { SafeAccess } from "./safe-access.tsx";
import { SafeAccounts } from "./safe-accounts.tsx";
import { EditSafeDialog } from "../form/safe-form-dialogs.tsx";
import { SafeHistory } from "./safe-history.tsx";
import { SafeMembers } from "../members/safe-members.tsx";
import { tabFor, tabsFor, type SafeTab } from "./safe-tabs.ts";
import { ACCESS_HINTS, ACCESS_LABELS, STATUS_BADGES, STATUS_HINTS, TYPE_LABELS, may } from "../safe-labels.ts";
import { safeDetail } from "../safes.queries.ts";
import classes from "../safes.module.css";

const ICON_SIZE = 16;

export default function SafePage() {
  const { id = "" } = useParams();
  const detail = useQuery(safeDetail(id));

  if (detail.isPending) return <SectionLoading text="Loading safe..." />;
  // A failed refresh keeps the page; only a 404 replaces it.
  if (isCallError(detail.error) && detail.error.status === 404) {
    return (
      <PageHeader
        title="Safe Not Found"
        subtitle="It was deleted, or you no longer have access to it."
        actions={backToSafes}
      />
    );
  }
  if (detail.data === undefined) {
    return (
      <>
        <PageHeader title="Safe" actions={backToSafes} />
        <ErrorState
          message="Failed to load safe"
          onRetry={() => void detail.refetch()}
          isRetrying={detail.isFetching}
        />
      </>
    );
  }
  return <Detail key={detail.data.id} safe={detail.data} />;
}

const backToSafes = (
  <Button
    component={Link}
    to={paths.safes}
    variant="default"
    leftSection={<IconArrowLeft size={ICON_SIZE} aria-hidden />}
  >
    Back to Safes
  </Button>
);

function Detail({ safe }: { safe: Safe }) {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const propsOf = (which: "edit" | "delete") => ({
    safe,
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });
  const tab = tabFor(safe, params);

  return (
    <>
      <Link to={paths.safes} className={classes.back}>
        <IconArrowLeft size={14} aria-hidden /> Safes Management
      </Link>
      <PageHeader
        title={safe.name}
        subtitle={safe.description ?? `${TYPE_LABELS[safe.safe_type]} safe`}
        actions={
          may(safe, "manage_safe") && (
            <>
              <Button
                variant="default"
                leftSection={<IconPencil size={ICON_SIZE} aria-hidden />}
                onClick={() => setDialog("edit")}
              >
                Edit
              </Button>
              <Button
                variant="light"
                color="red"
                leftSection={<IconTrash size={ICON_SIZE} aria-hidden />}
                onClick={() => setDialog("delete")}
              >
                Delete
              </Button>
            </>
          )
        }
      />
      {safe.status !== "active" && (
        <Alert className={classes.notice} color="yellow" variant="light" icon={<IconInfoCircle aria-hidden />}>
          This safe is {safe.status}. {STATUS_HINTS[safe.status]}
        </Alert>
      )}
      <div className={classes.summary}>
        <Facts facts={factsOf(safe)} />
      </div>
      <PageTabs<SafeTab>
        label="Safe"
        tabs={tabsFor(safe)}
        value={tab}
        onChange={(next) =>
          setParams((before) => withParam(before, "tab", next === "accounts" ? "" : next), { replace: true })
        }
      >
        {tab === "accounts" && <SafeAccounts safe={safe} />}
        {tab === "members" && <SafeMembers safe={safe} />}
        {tab === "access" && <SafeAccess id={safe.id} />}
        {tab === "audit" && <SafeHistory id={safe.id} />}
      </PageTabs>
      <EditSafeDialog {...propsOf("edit")} />
      <DeleteSafeDialog {...propsOf("delete")} onDeleted={() => void navigate(paths.safes)} />
    </>
  );
}

const factsOf = (safe: Safe) => [
  {
    name: "Owner",
    value: (
      <>
        {safe.owner_name}
        {safe.owner_email !== safe.owner_name && <span className={classes.hint}>{safe.owner_email}</span>}
      </>
    ),
  },
  { name: "Status", value: <StatusBadge {...STATUS_BADGES[safe.status]} /> },
  { name: "Type", value: TYPE_LABELS[safe.safe_type] },
  {
    name: "Access Level",
    value: (
      <>
        {ACCESS_LABELS[safe.access_level]}
        <span className={classes.hint}>{ACCESS_HINTS[safe.access_level]}</span>
      </>
    ),
  },
];
