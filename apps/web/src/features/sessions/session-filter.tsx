// The filters of the session list. They are kept in the URL.
import { Select } from "@mantine/core";
import { SESSION_PROTOCOLS, SESSION_RISKS, SESSION_STATUSES } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { searchOf, withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { PERIODS, PROTOCOL_LABELS, RISK_LABELS, STATUS_LABELS, type Period } from "./session-labels.ts";
import { filterChoices, type SessionFilter } from "./sessions.queries.ts";
import classes from "./sessions.module.css";

const PERIOD_NAMES = Object.keys(PERIODS) as Period[];

/** Ignores unknown values. */
export function filterOf(params: URLSearchParams): SessionFilter {
  return {
    status: SESSION_STATUSES.find((each) => each === params.get("status")),
    protocol: SESSION_PROTOCOLS.find((each) => each === params.get("protocol")),
    risk: SESSION_RISKS.find((each) => each === params.get("risk")),
    user_id: params.get("user") ?? undefined,
    account_id: params.get("account") ?? undefined,
    safe_id: params.get("safe") ?? undefined,
    search: searchOf(params),
    held: params.get("held") === "true" ? "true" : undefined,
    period: PERIOD_NAMES.find((each) => each === params.get("period")) ?? "any",
  };
}

const labelled = <T extends string>(values: readonly T[], labels: Record<T, string>) =>
  values.map((value) => ({ value, label: labels[value] }));

interface Named {
  id: string;
  name: string;
}

const named = (choices: readonly Named[] = []) => choices.map(({ id, name }) => ({ value: id, label: name }));

export function FilterBar({ filter }: { filter: SessionFilter }) {
  const choices = useQuery(filterChoices).data;
  return (
    <div className={classes.toolbar} role="search" aria-label="Sessions">
      <AddressSearch label="Search sessions" placeholder="Search by user, account or target" />
      <Filter
        label="Status"
        part="status"
        value={filter.status}
        all="All statuses"
        data={labelled(SESSION_STATUSES, STATUS_LABELS)}
      />
      <Filter
        label="Risk"
        part="risk"
        value={filter.risk}
        all="All risks"
        data={labelled(SESSION_RISKS, RISK_LABELS)}
      />
      <Filter
        label="Protocol"
        part="protocol"
        value={filter.protocol}
        all="All protocols"
        data={labelled(SESSION_PROTOCOLS, PROTOCOL_LABELS)}
      />
      <Filter label="User" part="user" value={filter.user_id} all="All users" data={named(choices?.users)} />
      <Filter
        label="Account"
        part="account"
        value={filter.account_id}
        all="All accounts"
        data={named(choices?.accounts)}
      />
      <Filter label="Safe" part="safe" value={filter.safe_id} all="All safes" data={named(choices?.safes)} />
      <Filter
        label="Recording"
        part="held"
        value={filter.held}
        all="All recordings"
        data={[{ value: "true", label: "With a legal hold" }]}
      />
      <Filter
        label="Started"
        part="period"
        value={filter.period === "any" ? undefined : filter.period}
        all={PERIODS.any.label}
        data={PERIOD_NAMES.filter((name) => name !== "any").map((value) => ({ value, label: PERIODS[value].label }))}
      />
    </div>
  );
}

interface FilterProps {
  label: string;
  /** The name of the query parameter. */
  part: string;
  value: string | undefined;
  /** The label of the choice that does not filter. */
  all: string;
  data: { value: string; label: string }[];
}

function Filter({ label, part, value, all, data }: FilterProps) {
  const [, setParams] = useSearchParams();
  return (
    <Select
      className={classes.choice}
      aria-label={label}
      searchable={data.length > 10}
      data={[{ value: "", label: all }, ...data]}
      value={value ?? ""}
      allowDeselect={false}
      nothingFoundMessage="No match"
      onChange={(chosen) => setParams((before) => withParam(before, part, chosen ?? ""), { replace: true })}
    />
  );
}
