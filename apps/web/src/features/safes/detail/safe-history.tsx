// The audit entries of one safe and its members, for users who may view them.
import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { AuditTrailList } from "#shared/audit/audit-trail-list.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import classes from "../safes.module.css";
import { safeHistory } from "../safes.queries.ts";

export function SafeHistory({ id }: { id: string }) {
  const history = useInfiniteQuery(safeHistory(id));
  return (
    <div className={classes.panel}>
      <Loaded query={history}>
        {({ pages }) => (
          <AuditTrailList
            title="Audit History"
            entries={pages.flatMap((page) => page.history)}
            actions={
              <Button
                size="compact-sm"
                variant="subtle"
                leftSection={<IconRefresh size={15} aria-hidden />}
                onClick={() => void history.refetch()}
                loading={history.isRefetching}
              >
                Refresh
              </Button>
            }
            footer={<LoadMore of={history} />}
          />
        )}
      </Loaded>
    </div>
  );
}
