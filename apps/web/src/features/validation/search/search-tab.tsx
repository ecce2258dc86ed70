// "Advanced Search": the filter panel and pages of results (VAL-32, VAL-33, OPEN-129).
import { Stack } from "@mantine/core";
import { IconFilterSearch, IconSearchOff } from "@tabler/icons-react";
import type { ValidationFilter, ValidationMatch } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { counted } from "#shared/format/text.ts";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { countText } from "../figures.ts";
import { FilterPanel } from "./filter-panel.tsx";
import rows from "../accounts/rows.module.css";
import { SecretLine } from "../accounts/secret-line.tsx";
import { EMPTY_FILTER, filterIn, filterText } from "../validation-address.ts";
import { ValidateButton } from "../bulk/validate-button.tsx";
import { searchResults } from "../validation.queries.ts";

export function SearchTab() {
  const [params, setParams] = useSearchParams();
  const filter = filterIn(params);
  const apply = (next: ValidationFilter | null) =>
    setParams((before) => {
      const address = new URLSearchParams(before);
      if (next === null) address.delete("filter");
      else address.set("filter", filterText(next));
      return address;
    });
  return (
    <Stack gap="md">
      <FilterPanel applied={filter ?? EMPTY_FILTER} onApply={apply} onClear={() => apply(null)} />
      {filter === null ? (
        <EmptyState
          icon={IconFilterSearch}
          title="Search results will appear here"
          text="Set filters above, then choose Apply Filters."
        />
      ) : (
        <Results filter={filter} />
      )}
    </Stack>
  );
}

function Results({ filter }: { filter: ValidationFilter }) {
  const list = useInfiniteQuery(searchResults(filter));
  return (
    <Loaded query={list} loadingText="Searching...">
      {({ pages }) => {
        const matches = pages.flatMap((page) => page.results);
        if (matches.length === 0) {
          return <EmptyState icon={IconSearchOff} title="No results" text="No account matches all filters." />;
        }
        const total = pages[0]?.total ?? 0;
        return (
          <SectionCard
            title="Results"
            description={total >= 10_000 ? countText(total) : counted(total, "match", "matches")}
          >
            <ul className={rows.rows} aria-label="Search results">
              {matches.map((match) => (
                <Match key={match.account_id} match={match} />
              ))}
            </ul>
            <LoadMore of={list} />
          </SectionCard>
        );
      }}
    </Loaded>
  );
}

const JIT_WORDS = { active: "Active access", expired: "Past access" } as const;

function Match({ match }: { match: ValidationMatch }) {
  return (
    <li className={rows.row}>
      <VerificationBadge status={match.status} />
      <div className={rows.text}>
        <SecretLine secret={match} more={match.connection_method ?? undefined} />
        {match.error_message !== null && <p className={rows.error}>{match.error_message}</p>}
        <div className={rows.tags}>
          {match.severity !== null && <SeverityBadge severity={match.severity} />}
          {match.jit !== "none" && <Tag tone={match.jit === "active" ? "info" : "neutral"}>{JIT_WORDS[match.jit]}</Tag>}
          {match.account_status !== null && match.account_status !== "active" && <Tag>{match.account_status}</Tag>}
        </div>
      </div>
      <div className={rows.side}>
        <p className={rows.time}>
          <RelativeTime moment={match.last_validated_at} none="Not validated yet" />
        </p>
        {match.may_validate && <ValidateButton of={match} />}
      </div>
    </li>
  );
}
