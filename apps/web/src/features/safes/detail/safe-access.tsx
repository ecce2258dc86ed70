// "Who has access" for a whole safe.
import { useInfiniteQuery } from "@tanstack/react-query";
import { AccessList } from "#shared/ui/access-list.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { safeAccess } from "../safes.queries.ts";

export function SafeAccess({ id }: { id: string }) {
  const access = useInfiniteQuery(safeAccess(id));
  return (
    <SectionCard
      title="Who has access"
      description="Everyone who can use or retrieve an account in this safe now, and why."
    >
      <Loaded query={access}>
        {({ pages }) => <AccessList access={pages.flatMap((page) => page.access)} footer={<LoadMore of={access} />} />}
      </Loaded>
    </SectionCard>
  );
}
