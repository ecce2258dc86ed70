// Verifications and rotations per day as small bars, with links to the lists behind them.
import { VisuallyHidden } from "@mantine/core";
import type { ReplyOf, readRotationTrend, readValidationDashboard } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { counted } from "#shared/format/text.ts";
import { utcDay } from "#shared/format/time.ts";
import { paths } from "#shared/paths.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { rotationTrend, verificationTrend } from "./dashboard.queries.ts";
import classes from "./trends-card.module.css";

export function TrendsCard({ refetchInterval }: { refetchInterval: number | false }) {
  const verification = useQuery({ ...verificationTrend, refetchInterval });
  const rotation = useQuery({ ...rotationTrend, refetchInterval });
  return (
    <SectionCard title="Trends" description="By day (UTC)">
      <div className={classes.trends}>
        <Loaded query={verification}>{(read) => <Verifications read={read} />}</Loaded>
        <Loaded query={rotation}>{(read) => <Rotations read={read} />}</Loaded>
      </div>
    </SectionCard>
  );
}

function Verifications({ read }: { read: ReplyOf<typeof readValidationDashboard> }) {
  const days = read.validation_statistics.weekly_trend;
  const attempts = days.reduce((sum, day) => sum + day.attempts, 0);
  return (
    <Trend
      title="Verifications, 7 Days"
      names={["Succeeded", "Failed"]}
      days={days.map(({ date, successes, failures }) => ({ date, good: successes, other: failures }))}
      tone="danger"
    >
      <Link to={paths.validationAt("accounts", "attempts", "7d")}>{counted(attempts, "verification")}</Link>
      {read.validation_statistics.success_rate !== null &&
        ` · ${read.validation_statistics.success_rate.toLocaleString(undefined, { maximumFractionDigits: 1 })}% succeeded`}
    </Trend>
  );
}

function Rotations({ read }: { read: ReplyOf<typeof readRotationTrend> }) {
  return (
    <Trend
      title="Rotations, 14 Days"
      names={["Rotated", "Cancelled or replaced"]}
      days={read.days.map(({ date, rotated, other }) => ({ date, good: rotated, other }))}
      tone="neutral"
    >
      <Link to={paths.accountsToRotate()}>{counted(read.due, "account")} due or overdue</Link>
      {read.stopped > 0 && (
        <>
          {" · "}
          <Link to={paths.secretsWith({ rotation_stopped: true })}>{read.stopped.toLocaleString()} stopped</Link>
        </>
      )}
    </Trend>
  );
}

interface Day {
  date: string;
  good: number;
  other: number;
}

interface TrendProps {
  title: string;
  /** The names of the two parts of each bar. */
  names: readonly [string, string];
  days: readonly Day[];
  /** The colour of the second part. */
  tone: "danger" | "neutral";
  children: ReactNode;
}

/** Uses plain boxes, because the chart library would double the size of the page. */
function Trend({ title, names, days, tone, children }: TrendProps) {
  const most = Math.max(1, ...days.map(({ good, other }) => good + other));
  const height = (count: number) => ({ height: `${(count / most) * 100}%` });
  return (
    <section className={classes.trend}>
      <h3 className={classes.title}>{title}</h3>
      <div className={classes.bars} aria-hidden>
        {days.map(({ date, good, other }) => (
          <div
            key={date}
            className={classes.day}
            title={`${utcDay(date)}: ${good.toLocaleString()} ${names[0].toLowerCase()}, ${other.toLocaleString()} ${names[1].toLowerCase()}`}
          >
            {other > 0 && <span className={classes.other} data-tone={tone} style={height(other)} />}
            {good > 0 && <span className={classes.good} style={height(good)} />}
          </div>
        ))}
      </div>
      <p className={classes.text}>{children}</p>
      <VisuallyHidden>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              {["Day", ...names].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, good, other }) => (
              <tr key={date}>
                <th scope="row">{utcDay(date)}</th>
                <td>{good.toLocaleString()}</td>
                <td>{other.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </section>
  );
}
