// The requests of a tab in their loading, empty, error and content states, with the dialogs of their cards.
import { IconClockBolt, IconHistory, IconKeyOff, IconSearchOff, type Icon } from "@tabler/icons-react";
import type { AccessRequest } from "@strongroom/contract";
import { useQuery, type useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useState, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { searchOf, withParam } from "#shared/format/address.ts";
import { currentSession } from "#shared/session/session-store.ts";
import { ItemGrid } from "#shared/ui/item-grid.tsx";
import { TableSkeleton, type Layout } from "#shared/ui/data-table-tools.tsx";
import type { TableSettings } from "#shared/ui/data-table-settings.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { oneRequest, type RequestTab } from "../access-requests.queries.ts";
import { DecisionDialogs } from "../decision/decision-dialogs.tsx";
import classes from "./jit-access-page.module.css";
import { loadFailureText } from "../load-failure.ts";
import { RequestCard, type RequestDialog } from "./request-card.tsx";
import { RequestTable } from "./request-table.tsx";
import { RequestDetailsDialog } from "../decision/request-details-dialog.tsx";

interface RequestPages {
  pages: readonly { requests: readonly AccessRequest[] }[];
}
type RequestList = Pick<
  ReturnType<typeof useInfiniteQuery>,
  | "isPending"
  | "error"
  | "isFetching"
  | "refetch"
  | "isPlaceholderData"
  | "hasNextPage"
  | "isFetchNextPageError"
  | "isFetchingNextPage"
  | "fetchNextPage"
> & { data: RequestPages | undefined };

export interface RequestGridProps {
  list: RequestList;
  tab: RequestTab;
  requests: readonly AccessRequest[];
  newRequest: ReactNode;
  layout: Layout;
  settings: TableSettings;
}

export function RequestGrid({ list, tab, requests, newRequest, layout, settings }: RequestGridProps) {
  const [params] = useSearchParams();
  const dialogs = useDialogs(requests);
  const failure = () => loadFailureText(list.error, currentSession().token !== null);

  function content() {
    if (list.isPending) return <TableSkeleton text="Loading access requests..." />;
    if (list.data === undefined) {
      return <ErrorState message={failure()} onRetry={() => void list.refetch()} isRetrying={list.isFetching} />;
    }
    if (requests.length === 0) return <NoRequests tab={tab} search={searchOf(params)} newRequest={newRequest} />;
    return (
      <div className={list.isPlaceholderData ? classes.stale : undefined}>
        {layout === "table" ? (
          <RequestTable requests={requests} settings={settings} onOpen={dialogs.open} {...nextPageOf(list)} />
        ) : (
          <ItemGrid label="Access requests" items={requests} {...nextPageOf(list)}>
            {(request) => <RequestCard request={request} onOpen={dialogs.open} />}
          </ItemGrid>
        )}
        {list.isFetchingNextPage && <SectionLoading />}
        {list.isFetchNextPageError && <ErrorState message={failure()} onRetry={() => void list.fetchNextPage()} />}
      </div>
    );
  }

  return (
    <>
      {content()}
      {dialogs.request !== null && (
        <>
          <DecisionDialogs request={dialogs.request} dialog={dialogs.dialog} onClose={dialogs.close} />
          <RequestDetailsDialog
            request={dialogs.request}
            opened={dialogs.dialog === "details"}
            onClose={dialogs.close}
            onOpen={dialogs.open}
          />
        </>
      )}
    </>
  );
}

const NOTHING: Record<RequestTab, { icon: Icon; title: string; text: string }> = {
  pending: { icon: IconClockBolt, title: "No pending requests", text: "No requests are waiting for a decision." },
  active: { icon: IconKeyOff, title: "No active access", text: "There are no active grants." },
  history: { icon: IconHistory, title: "No history yet", text: "Denied, expired and revoked requests appear here." },
};

function NoRequests({
  tab,
  search,
  newRequest,
}: {
  tab: RequestTab;
  search: string | undefined;
  newRequest: ReactNode;
}) {
  if (search !== undefined) {
    return <EmptyState icon={IconSearchOff} title="No requests found" text="No requests match your search criteria." />;
  }
  return <EmptyState {...NOTHING[tab]} action={tab === "pending" ? newRequest : undefined} />;
}

/** Selects the request of the open dialog: the one clicked on this page, or the one in the address (`?request=`). */
function useDialogs(requests: readonly AccessRequest[]) {
  const [params, setParams] = useSearchParams();
  const named = params.get("request");
  const [dialog, setDialog] = useState<RequestDialog | null>(null);
  const [chosen, setChosen] = useState<AccessRequest | null>(null);
  const linked = useQuery({ ...oneRequest(named ?? ""), enabled: named !== null });
  const open = useCallback(
    (which: RequestDialog, of: AccessRequest) => {
      setChosen(of);
      setDialog(which);
    },
    [setChosen, setDialog],
  );
  const close = () => {
    setDialog(null);
    if (named !== null) setParams((before) => withParam(before, "request", ""), { replace: true });
  };
  const isLinked = named !== null && linked.data !== undefined;
  const request = dialog === null && isLinked ? linked.data : chosen;
  return {
    // The current version from the list, not the one the dialog opened with.
    request: requests.find(({ id }) => id === request?.id) ?? request ?? null,
    dialog: dialog ?? (isLinked ? ("details" as const) : null),
    open,
    close,
  };
}
