// The Risk Assessment tab, from the facts that the reader can see (RISK-01 to RISK-13).
import { Button, Select, SegmentedControl, Stack } from "@mantine/core";
import { IconGauge, IconRefresh } from "@tabler/icons-react";
import { RiskTimeframe, type DiscoveryTargetId, type RiskAssessment } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType } from "react";
import { useSearchParams } from "react-router";
import { isBareStatus, isCallError, messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { choiceOf, withParam } from "#shared/format/address.ts";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { ComplianceCard } from "./compliance-card.tsx";
import { RecommendationsCard } from "./recommendations-card.tsx";
import { RiskFactorsCard } from "./risk-factors-card.tsx";
import { RiskScoreCard } from "./risk-score-card.tsx";
import { TrendsCard } from "./trends-card.tsx";
import { assessment, generation, targetChoices, type RiskSelection } from "./risk.queries.ts";
import { useScoreIfFixed } from "./use-score-if-fixed.ts";
import { NOTHING_FIXED } from "./what-if.ts";
import classes from "./risk.module.css";

const FAILED = "Failed to load risk assessment";
/** The first one is the default (RISK-13). */
const TIMEFRAMES = ["30d", "7d", "90d"] as const satisfies readonly RiskTimeframe[];
const TIMEFRAME_LABELS = { "7d": "7 days", "30d": "30 days", "90d": "90 days" } as const;

export interface RiskTabProps {
  /** The reports about this selection. */
  Reports: ComponentType<RiskSelection>;
}

export function RiskTab({ Reports }: RiskTabProps) {
  const [params, setParams] = useSearchParams();
  const selection: RiskSelection = {
    targetId: (params.get("target") as DiscoveryTargetId | null) ?? undefined,
    timeframe: choiceOf(params, "timeframe", TIMEFRAMES),
  };
  const targets = useQuery(targetChoices);
  const choices = (targets.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Stack gap="md" mt="md">
      <div className={classes.toolbar}>
        <Select
          aria-label="Target"
          placeholder="All targets"
          clearable
          searchable
          data={choices}
          value={selection.targetId ?? null}
          onChange={(target) => setParams(withParam(params, "target", target ?? ""))}
        />
        <SegmentedControl
          aria-label="Time frame"
          data={RiskTimeframe.options.map((value) => ({ value, label: TIMEFRAME_LABELS[value] }))}
          value={selection.timeframe}
          onChange={(next) => setParams(withParam(params, "timeframe", next === TIMEFRAMES[0] ? "" : next))}
        />
        <AssessButton selection={selection} />
      </div>
      <Assessment selection={selection} />
      <Reports {...selection} />
    </Stack>
  );
}

function AssessButton({ selection }: { selection: RiskSelection }) {
  const { mutate, isPending } = useMutation(generation(useQueryClient(), selection));
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={isPending}
      onClick={() =>
        mutate(undefined, {
          onSuccess: () => toast.success("Risk assessed"),
          onError: (error) => toast.error(messageOf(error), { title: "Failed to assess the risk" }),
        })
      }
    >
      Assess Now
    </Button>
  );
}

/** RISK-05. */
const failureOf = (error: unknown): string => (isCallError(error) && !isBareStatus(error) ? error.message : FAILED);

function Assessment({ selection }: { selection: RiskSelection }) {
  const query = useQuery(assessment(selection));
  if (query.isPending) return <SectionSkeleton />;
  if (query.data === undefined) {
    return (
      <ErrorState
        message="Error Loading Risk Assessment"
        text={failureOf(query.error)}
        retryLabel="Try Again"
        onRetry={() => void query.refetch()}
        isRetrying={query.isFetching}
      />
    );
  }
  if (query.data.data === null) {
    return (
      <EmptyState
        icon={IconGauge}
        title="No Risk Assessment Data"
        text="The assessment appears after you add an account or scan a discovery target."
      />
    );
  }
  // Another selection has other items.
  const key = `${selection.targetId ?? "all"} ${selection.timeframe}`;
  return <Content key={key} data={query.data.data} selection={selection} />;
}

function Content({ data, selection }: { data: RiskAssessment; selection: RiskSelection }) {
  const [whatIf, setWhatIf] = useState(NOTHING_FIXED);
  const after = useScoreIfFixed(data, selection, whatIf);
  return (
    <>
      <div className={classes.columns}>
        <RiskScoreCard assessment={data} whatIf={whatIf} after={after} onReset={() => setWhatIf(NOTHING_FIXED)} />
        <TrendsCard trends={data.trends} />
      </div>
      <RiskFactorsCard
        factors={data.risk_factors}
        selection={selection}
        whatIf={whatIf}
        after={after}
        onChange={setWhatIf}
      />
      <RecommendationsCard recommendations={data.recommendations} score={data.overall_risk_score} />
      <ComplianceCard scores={data.compliance_scores} />
    </>
  );
}
