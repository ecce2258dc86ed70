// One safe: its details, accounts, members, access and history.
import { Alert, Button } from "@mantine/core";
import { IconInfoCircle, IconPencil, IconTrash } from "@tabler/icons-react";
import type { Safe } from "@strongroom/contract";
import { useQuery, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { isCallError } from "#shared/api/call-error.ts";
import { withParam } from "#shared/format/address.ts";
import { DetailHeader, DetailLoaded, type ParentList } from "#shared/ui/detail-page.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { DeleteSafeDialog } from "../form/delete-safe-dialog.tsx";
import { SafeAccounts } from "./safe-accounts.tsx";
import { EditSafeDialog } from "../form/safe-form-dialogs.tsx";
import { SafeMembers } from "../members/safe-members.tsx";
import { ACCESS_HINTS, ACCESS_LABELS, STATUS_BADGES, STATUS_HINTS, TYPE_LABELS, may } from "../safe-labels.ts";
import { safeDetail, safeAccess, safeHistory } from "../safes.queries.ts";
import { AccessList } from "#shared/ui/access-list.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { TagList } from "#shared/ui/tag-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { AuditHistory } from "#shared/audit/audit-history.tsx";
import type { PageTab } from "#shared/ui/page-tabs.tsx";
import classes from "../safes.module.css";

type SafeTab = "accounts" | "members" | "access" | "audit";

type Shown = Pick<Safe, "my_permissions" | "account_count" | "permission_count">;

const ICON_SIZE = 16;

const LIST: ParentList = { to: paths.safes, title: "Safes Management", backLabel: "Back to Safes" };

export default function SafePage() {
  const { id = "" } = useParams();
  const detail = useQuery(safeDetail(id));
  return (
    <DetailLoaded
      query={detail}
      list={LIST}
      loadingText="Loading safe..."
      isMissing={(error) => isCallError(error) && error.status === 404}
      missing={{ title: "Safe Not Found", text: "It was deleted, or you no longer have access to it." }}
      failure={{ title: "Safe", text: "Failed to load safe" }}
    >
      {(safe) => <Detail key={safe.id} safe={safe} />}
    </DetailLoaded>
  );
}

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
      <DetailHeader
        list={LIST}
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
  ...(safe.session_zone === null ? [] : [{ name: "Gateway Zone", value: safe.session_zone }]),
  ...(safe.tags.length === 0 ? [] : [{ name: "Tags", value: <TagList tags={safe.tags} /> }]),
];

function SafeAccess({ id }: { id: string }) {
  const access = useInfiniteQuery(safeAccess(id));
  return (
    <SectionCard
      title="Who Can Access This"
      description="Everyone who can use or retrieve an account in this safe now, and why."
    >
      <Loaded query={access}>
        {({ pages }) => <AccessList access={pages.flatMap((page) => page.access)} footer={<LoadMore of={access} />} />}
      </Loaded>
    </SectionCard>
  );
}

function SafeHistory({ id }: { id: string }) {
  return <AuditHistory of={useInfiniteQuery(safeHistory(id))} />;
}

/** Access requires `manage_members` or `view_audit`; the history requires `view_audit`. */
function tabsFor(safe: Shown): PageTab<SafeTab>[] {
  const seesAccess = may(safe, "manage_members") || may(safe, "view_audit");
  return [
    { value: "accounts", label: "Accounts", count: safe.account_count },
    { value: "members", label: "Members", count: safe.permission_count },
    ...(seesAccess ? [{ value: "access" as const, label: "Access", count: undefined }] : []),
    ...(may(safe, "view_audit") ? [{ value: "audit" as const, label: "Audit", count: undefined }] : []),
  ];
}

/** Falls back to the accounts when the address names no available tab. */
const tabFor = (safe: Shown, params: URLSearchParams): SafeTab =>
  tabsFor(safe).find(({ value }) => value === params.get("tab"))?.value ?? "accounts";
