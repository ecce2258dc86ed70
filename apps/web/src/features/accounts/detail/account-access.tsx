// "Who has access" for one account.
import { useInfiniteQuery } from "@tanstack/react-query";
import { AccessList } from "#shared/ui/access-list.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { accountAccess } from "../accounts.queries.ts";

export function AccountAccess({ id }: { id: string }) {
  const access = useInfiniteQuery(accountAccess(id));
  return (
    <SectionCard title="Who has access" description="Everyone who can use or retrieve this account now, and why.">
      <Loaded query={access}>
        {({ pages }) => <AccessList access={pages.flatMap((page) => page.access)} footer={<LoadMore of={access} />} />}
      </Loaded>
    </SectionCard>
  );
}
