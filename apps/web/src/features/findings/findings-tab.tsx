// The Security Findings tab: filters, selection, status changes and exports (FIND-01 to FIND-21).
import { Button, Checkbox } from "@mantine/core";
import { IconEye, IconKey, IconLock, IconSearch, IconShieldExclamation } from "@tabler/icons-react";
import { FindingId, severityOfRisk, type SecurityFinding } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import type { DiscoveryTab } from "#shared/discovery/discovery-tab.ts";
import { withParam } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { useUser } from "#shared/session/session-store.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { SeverityBadge, StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { ExportMenu } from "./export-menu.tsx";
import { FindingDetails } from "./finding-details.tsx";
import { chosenIn, exportFilterOf, filterOf } from "./finding-filter.ts";
import { FindingFilters } from "./finding-filters.tsx";
import { RISK_TONES, STATUS_BADGES, TYPE_LABELS } from "./finding-labels.ts";
import classes from "./findings.module.css";
import { findingFigures, findingList, statusChange } from "./findings.queries.ts";
import { RulesDialog } from "./rules-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import { VaultDialog } from "./vault-dialog.tsx";

const FAILURE = "Failed to load security findings";
/** FIND-11. */
const REFRESH_MS = 15_000;
/** The limit of one call. */
const MOST_SELECTED = 500;
const MOST_VAULTED = 50;

export function useFindingsTab(): DiscoveryTab {
  const figures = useQuery({ ...findingFigures, refetchOnMount: "always" });
  const { data } = figures;
  const severe = data === undefined ? 0 : data.open_by_severity.critical + data.open_by_severity.high;
  return {
    id: "findings",
    Content: FindingsTab,
    count: data?.open,
    failure: figures.error === null ? null : { text: FAILURE, error: figures.error },
    card:
      data === undefined
        ? undefined
        : {
            label: "Security Findings",
            value: data.open,
            line: `${severe.toLocaleString()} high or critical, of ${data.total.toLocaleString()}`,
            icon: IconShieldExclamation,
            ...(severe > 0 ? { tone: "danger" as const } : {}),
          },
  };
}

export function FindingsTab() {
  const [params, setParams] = useSearchParams();
  const { id: userId } = useUser();
  const chosen = chosenIn(params);
  const filter = filterOf(chosen, userId);
  const list = useInfiniteQuery({
    ...findingList(filter),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const findings = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const shownId = FindingId.safeParse(params.get("finding")).data ?? null;
  const show = (id: string) => setParams((before) => withParam(before, "finding", id), { replace: true });
  const [isChanging, setIsChanging] = useState(false);
  const [isVaulting, setIsVaulting] = useState(false);
  const [areRulesShown, setAreRulesShown] = useState(false);
  const manageable = findings.filter(({ can_manage }) => can_manage);
  const marked = manageable.filter(({ id }) => selected.has(id));
  const shown = findings.find(({ id }) => id === shownId);
  const set = (part: string, value: string) => {
    setSelected(new Set());
    setParams((before) => withParam(before, part, value), { replace: true });
  };
  const mark = (id: string, isMarked: boolean) => {
    const next = new Set(marked.map((each) => each.id as string));
    if (isMarked && next.size < MOST_SELECTED) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <FindingFilters chosen={chosen} onChange={set} onShowRules={() => setAreRulesShown(true)} />
      <Loaded query={list} failureText={FAILURE}>
        {() =>
          findings.length === 0 ? (
            <EmptyState
              icon={IconShieldExclamation}
              title="No Security Findings"
              text={
                isFiltered
                  ? "No finding matches your filters."
                  : "Secrets that enhanced scans find in files and databases appear here."
              }
            />
          ) : (
            <>
              <div className={classes.selection} role="region" aria-label="Selected findings">
                {manageable.length > 0 && (
                  <Checkbox
                    label={marked.length === 0 ? "Select all loaded" : `${counted(marked.length, "finding")} selected`}
                    checked={marked.length > 0 && marked.length === Math.min(manageable.length, MOST_SELECTED)}
                    indeterminate={marked.length > 0 && marked.length < manageable.length}
                    onChange={({ currentTarget: { checked } }) =>
                      setSelected(new Set(checked ? manageable.slice(0, MOST_SELECTED).map(({ id }) => id) : []))
                    }
                  />
                )}
                <span className={classes.total} role="status">
                  {`${findings.length.toLocaleString()} of ${counted(total, "finding")}`}
                </span>
                {marked.length > 0 && (
                  <>
                    <Button onClick={() => setIsChanging(true)}>Change Status</Button>
                    <Button
                      variant="default"
                      leftSection={<IconLock size={16} aria-hidden />}
                      disabled={marked.length > MOST_VAULTED}
                      onClick={() => setIsVaulting(true)}
                    >
                      Vault
                    </Button>
                  </>
                )}
                <ExportMenu filters={exportFilterOf(chosen, userId)} />
              </div>
              <RowList label="Security findings">
                {findings.map((finding) => (
                  <FindingRow
                    key={finding.id}
                    finding={finding}
                    isMarked={selected.has(finding.id)}
                    onMark={mark}
                    onOpen={() => show(finding.id)}
                  />
                ))}
              </RowList>
              <LoadMore of={list} />
            </>
          )
        }
      </Loaded>
      {shownId !== null && (
        <FindingDetails key={shownId} id={shownId} finding={shown} opened onClose={() => show("")} />
      )}
      <RulesDialog opened={areRulesShown} onClose={() => setAreRulesShown(false)} />
      <VaultDialog
        findings={marked}
        opened={isVaulting}
        onClose={() => {
          setIsVaulting(false);
          setSelected(new Set());
        }}
      />
      <StatusDialog
        findings={marked}
        opened={isChanging}
        onClose={() => {
          setIsChanging(false);
          setSelected(new Set());
        }}
      />
    </>
  );
}

interface FindingRowProps {
  finding: SecurityFinding;
  isMarked: boolean;
  onMark: (id: string, isMarked: boolean) => void;
  onOpen: () => void;
}

function FindingRow({ finding, isMarked, onMark, onOpen }: FindingRowProps) {
  const { title, finding_data: place, risk_score } = finding;
  return (
    <Row
      icon={
        finding.can_manage ? (
          <Checkbox
            aria-label={`Select ${title} on ${finding.hostname}`}
            checked={isMarked}
            onChange={({ currentTarget }) => onMark(finding.id, currentTarget.checked)}
          />
        ) : (
          <IconKey size={18} aria-hidden />
        )
      }
      name={
        <>
          <span>{title}</span>
          <SeverityBadge severity={finding.severity} />
          <Tag tone={RISK_TONES[severityOfRisk(risk_score)]} title="Risk score, 0 to 100">
            {risk_score}
          </Tag>
          <StatusBadge {...STATUS_BADGES[finding.status]} />
        </>
      }
      actions={
        <>
          {finding.can_manage && finding.status === "new" && <InvestigateButton finding={finding} />}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Details of ${title} on ${finding.hostname}`}
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={onOpen}
          >
            Details
          </Button>
        </>
      }
    >
      <RowDetail>{place.location}</RowDetail>
      <RowDetail>
        {`${factsOf(finding).join(" · ")} · Found `}
        <RelativeTime moment={finding.created_at} isInSentence />
      </RowDetail>
    </Row>
  );
}

const factsOf = ({ finding_type, finding_data: { key_name, username }, reused_on, assignee }: SecurityFinding) =>
  [
    TYPE_LABELS[finding_type],
    key_name,
    username,
    reused_on > 1 ? `On ${reused_on} targets` : null,
    assignee === null ? null : `Assigned to ${assignee.name}`,
  ].filter((fact) => fact !== null);

/** FIND-02. */
function InvestigateButton({ finding }: { finding: SecurityFinding }) {
  const { mutate, isPending } = useMutation(statusChange(useQueryClient(), finding.id));
  return (
    <Button
      size="compact-sm"
      variant="light"
      loading={isPending}
      aria-label={`Investigate ${finding.title} on ${finding.hostname}`}
      leftSection={<IconSearch size={15} aria-hidden />}
      onClick={() =>
        mutate(
          { status: "investigating" },
          {
            onSuccess: () => toast.success("Finding status updated to investigating"),
            onError: (error) => toast.error(messageOf(error), { title: "Failed to update finding status" }),
          },
        )
      }
    >
      Investigate
    </Button>
  );
}
