// Objects of cloud accounts that scans found.
import { IconCloud } from "@tabler/icons-react";
import { CloudProvider, CloudResourceKind, type CloudResource } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { choiceOf, searchOf, withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { factLabel, factText, PROVIDER_LABELS } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { FilterChoice } from "../filter-choice.tsx";
import { cloudResources } from "./cloud.queries.ts";

const KIND_LABELS: Record<CloudResourceKind, string> = {
  iam_user: "User",
  service_account: "Service account",
  access_key: "Access key",
  iam_role: "Role",
  secret: "Secret",
  parameter: "Parameter",
};
const KINDS = ["", ...CloudResourceKind.options] as const;
const KIND_CHOICES = KINDS.map((value) => ({ value, label: value === "" ? "All kinds" : KIND_LABELS[value] }));

const PROVIDERS = ["", ...CloudProvider.options] as const;
const PROVIDER_CHOICES = PROVIDERS.map((value) => ({
  value,
  label: value === "" ? "All clouds" : PROVIDER_LABELS[value],
}));

export function ResourceList() {
  const [params, setParams] = useSearchParams();
  const provider = choiceOf(params, "provider", PROVIDERS);
  const kind = choiceOf(params, "kind", KINDS);
  const region = params.get("region") ?? "";
  const search = searchOf(params);
  const filter = {
    ...(provider === "" ? {} : { provider }),
    ...(kind === "" ? {} : { kind }),
    ...(region === "" ? {} : { region }),
    ...(search === undefined ? {} : { search }),
  };
  const list = useInfiniteQuery({ ...cloudResources(filter), placeholderData: keepPreviousData });
  const set = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  const known = list.data?.pages[0]?.regions ?? [];
  const regions = region === "" || known.includes(region) ? known : [...known, region];
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Cloud resources">
        <AddressSearch label="Search cloud resources" placeholder="Search by name" />
        <FilterChoice label="Cloud" data={PROVIDER_CHOICES} value={provider} onChange={set("provider")} />
        <FilterChoice label="Kind" data={KIND_CHOICES} value={kind} onChange={set("kind")} />
        <FilterChoice
          label="Region"
          data={[{ value: "", label: "All regions" }, ...regions.map((value) => ({ value, label: value }))]}
          value={region}
          onChange={set("region")}
        />
      </div>
      <Loaded query={list}>
        {({ pages }) => {
          const resources = pages.flatMap(({ data }) => data);
          if (resources.length === 0) {
            return (
              <EmptyState
                icon={IconCloud}
                title="No cloud resources"
                text={
                  Object.keys(filter).length > 0
                    ? "No resource matches your filter."
                    : "Scans of AWS, Azure and Google Cloud list users, access keys, roles, and the names of secrets here."
                }
              />
            );
          }
          return (
            <>
              <RowList label="Cloud resources">
                {resources.map((resource) => (
                  <ResourceRow key={resource.id} resource={resource} />
                ))}
              </RowList>
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function ResourceRow({ resource }: { resource: CloudResource }) {
  const { name, kind, provider, account, region, target_name, facts, missing_since, last_seen_at } = resource;
  const place = [PROVIDER_LABELS[provider], account, region, target_name].filter((part) => part !== null);
  const reported = Object.entries(facts).map(([fact, value]) => `${factLabel(fact)}: ${factText(value)}`);
  return (
    <Row
      icon={<IconCloud size={18} aria-hidden />}
      name={
        <>
          <span>{name}</span>
          <Tag>{KIND_LABELS[kind]}</Tag>
          {missing_since !== null && <Tag tone="warning">No longer found</Tag>}
        </>
      }
    >
      <RowDetail>{place.join(" · ")}</RowDetail>
      {reported.length > 0 && <RowDetail>{reported.join(" · ")}</RowDetail>}
      <RowDetail>
        Last found <RelativeTime moment={last_seen_at} />
      </RowDetail>
    </Row>
  );
}
