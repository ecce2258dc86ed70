// The three figures above the safes (SAFE-02).
import { IconBuildingBank, IconCircleCheck, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { statistics } from "../safes.queries.ts";

const text = (figure: number | undefined): string | null => figure?.toLocaleString() ?? null;

/** Shows a dash for a missing figure. */
export function SafeStatistics() {
  const { data } = useQuery(statistics);
  return (
    <StatRow>
      <StatCard label="Total Safes" value={text(data?.total)} icon={IconBuildingBank} />
      <StatCard label="Active Safes" value={text(data?.active)} icon={IconCircleCheck} />
      <StatCard
        label="Shared Safes"
        value={text(data?.shared)}
        icon={IconUsersGroup}
        explanation="Safes with more than one person as a member"
      />
    </StatRow>
  );
}
