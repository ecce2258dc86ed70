// The server's plan for each account that would be approved.
import type { OnboardingPlan } from "@strongroom/contract";
import { useQuery, keepPreviousData } from "@tanstack/react-query";
import { counted } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import { factLabel } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { onboardingPreview, type OnboardingOrder } from "../discovery.queries.ts";

/** More rows would hide the buttons of the dialog. */
const MOST_SHOWN = 50;

const OUTCOMES: Record<OnboardingPlan["outcome"], { label: string; tone: Tone }> = {
  rotate: { label: "New password", tone: "success" },
  pending: { label: "Password needed", tone: "warning" },
  refused: { label: "Cannot be approved", tone: "danger" },
};

export function OnboardingPreview({ order }: { order: OnboardingOrder }) {
  const query = useQuery({ ...onboardingPreview(order), placeholderData: keepPreviousData });
  return (
    <section aria-label="Preview">
      <h3 className={classes.heading}>Preview</h3>
      <Loaded query={query}>
        {({ data }) => (
          <>
            <p className={classes.sentence} role="status">
              {summaryOf(data)}
            </p>
            <RowList label="Planned accounts">
              {data.slice(0, MOST_SHOWN).map((plan) => (
                <PlanRow key={plan.id} plan={plan} />
              ))}
            </RowList>
            {data.length > MOST_SHOWN && (
              <p className={classes.sentence}>And {counted(data.length - MOST_SHOWN, "more account")}.</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function summaryOf(plans: readonly OnboardingPlan[]): string {
  const count = (outcome: OnboardingPlan["outcome"]) => plans.filter((each) => each.outcome === outcome).length;
  const parts = [
    [count("rotate"), "get a new password from the reconcile account"],
    [count("pending"), "wait until their password is stored or set"],
    [count("refused"), "cannot be approved"],
  ] as const;
  const shown = parts.filter(([number]) => number > 0).map(([number, text]) => `${number.toLocaleString()} ${text}`);
  return shown.length === 0 ? "No account can be planned." : `Of the accounts, ${shown.join(", ")}.`;
}

function PlanRow({ plan }: { plan: OnboardingPlan }) {
  const { label, tone } = OUTCOMES[plan.outcome];
  return (
    <Row
      name={
        <>
          <bdi>{plan.name ?? plan.account_name}</bdi>
          <Tag tone={tone}>{label}</Tag>
        </>
      }
    >
      {plan.problem !== null && <RowDetail>{plan.problem}</RowDetail>}
      {plan.outcome !== "refused" && (
        <RowDetail>
          {`Safe: ${plan.safe?.name ?? "–"} · Platform: ${plan.platform?.name ?? "–"}`}
          {plan.rule === null ? "" : ` · Rule: ${plan.rule}`}
        </RowDetail>
      )}
      {plan.outcome === "pending" && <RowDetail>{plan.reconcile.message}</RowDetail>}
      {plan.notes.map((note) => (
        <RowDetail key={note}>{note}</RowDetail>
      ))}
      {plan.outcome !== "refused" && plan.dependents.length > 0 && (
        <RowDetail>
          {`Also used by: ${plan.dependents.map(({ kind, name }) => `${factLabel(kind)} ${name}`).join(", ")}. `}
          Add those that need the password as dependents before its first rotation.
        </RowDetail>
      )}
    </Row>
  );
}
