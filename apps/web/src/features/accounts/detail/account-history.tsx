// The audit entries of one account, for users who may view them.
import { Button, Group } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { AuditTrailList } from "#shared/audit/audit-trail-list.tsx";
import { EvidenceButton } from "#shared/audit/evidence-button.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import classes from "./account-detail-page.module.css";
import { accountHistory } from "../accounts.queries.ts";

export function AccountHistory({ id }: { id: string }) {
  const history = useInfiniteQuery(accountHistory(id));
  const refresh = (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconRefresh size={15} aria-hidden />}
      onClick={() => void history.refetch()}
      loading={history.isRefetching}
    >
      Refresh
    </Button>
  );
  return (
    <div className={classes.panel}>
      <Loaded query={history}>
        {({ pages }) => (
          <AuditTrailList
            title="Audit History"
            entries={pages.flatMap((page) => page.history)}
            actions={
              <Group gap="xs">
                <EvidenceButton about="account" id={id} name="this account" />
                {refresh}
              </Group>
            }
            footer={<LoadMore of={history} />}
          />
        )}
      </Loaded>
    </div>
  );
}
