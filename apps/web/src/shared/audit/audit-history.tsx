// The audit entries of one account or other object, with Refresh and Load more.
import { Button, Group } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { DetailPanel } from "#shared/ui/detail-page.tsx";
import { LoadMore, type LoadMoreProps } from "#shared/ui/load-more.tsx";
import { Loaded, type LoadedProps } from "#shared/ui/loaded.tsx";
import { AuditTrailList, type AuditTrailEntry } from "./audit-trail-list.tsx";

export interface AuditHistoryProps<E extends AuditTrailEntry> {
  /** An infinite query. */
  of: LoadedProps<{ pages: readonly { history: readonly E[] }[] }>["query"] & LoadMoreProps["of"] & RefreshProps["of"];
  /** Before Refresh. */
  actions?: ReactNode;
}

export function AuditHistory<E extends AuditTrailEntry>({ of, actions }: AuditHistoryProps<E>) {
  return (
    <DetailPanel>
      <Loaded query={of}>
        {({ pages }) => (
          <AuditTrailList
            title="Audit History"
            entries={pages.flatMap((page) => page.history)}
            actions={
              <Group gap="xs">
                {actions}
                <RefreshButton of={of} />
              </Group>
            }
            footer={<LoadMore of={of} />}
          />
        )}
      </Loaded>
    </DetailPanel>
  );
}

export interface RefreshProps {
  of: { isRefetching: boolean; refetch: () => Promise<unknown> };
}

export function RefreshButton({ of }: RefreshProps) {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconRefresh size={15} aria-hidden />}
      onClick={() => void of.refetch()}
      loading={of.isRefetching}
    >
      Refresh
    </Button>
  );
}
