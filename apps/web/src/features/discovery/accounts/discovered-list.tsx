// The Discovered Accounts tab: filters, selection, decisions and details (DISC-33 to DISC-47).
import { Button, Checkbox } from "@mantine/core";
import { IconCheck, IconListDetails, IconUserSearch, IconX } from "@tabler/icons-react";
import { DiscoveredSystem, PrivilegeKind, type DiscoveredAccount } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { choiceOf, searchOf, withParam } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { useTableSettings } from "#shared/ui/data-table-settings.ts";
import { ColumnChoice, LayoutSwitch, useLayout } from "#shared/ui/data-table-tools.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { ACCOUNT_BADGES, PRIVILEGE_LABELS, SYSTEM_LABELS } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { FilterChoice } from "../filter-choice.tsx";
import { accountList } from "../discovery.queries.ts";
import { AccountDetails } from "./account-details.tsx";
import { AccountRow, isDecidable, type AccountDialog } from "./discovered-row.tsx";
import { DISCOVERED_COLUMNS, DiscoveredTable } from "./discovered-table.tsx";
import { RulesDialog } from "../rules/rules-dialog.tsx";
import { ApproveDialog, RejectDialog } from "./decision-dialogs.tsx";

/** The limit of one call. */
const MOST_SELECTED = 1000;

const STATUSES = ["pending_approval", "active", "rejected", "all"] as const;
const STATUS_CHOICES = STATUSES.map((value) => ({
  value,
  label: value === "all" ? "All statuses" : ACCOUNT_BADGES[value].label,
}));
const PRIVILEGE_CHOICES = [
  { value: "", label: "All accounts" },
  { value: "true", label: "Privileged accounts" },
  { value: "false", label: "Other accounts" },
  ...PrivilegeKind.options.map((value) => ({ value: value as string, label: PRIVILEGE_LABELS[value] })),
];

const PRESENCES = ["", "present", "new", "changed", "returned", "missing"] as const;
const PRESENCE_LABELS: Record<(typeof PRESENCES)[number], string> = {
  "": "Present or missing",
  present: "Present",
  new: "New in the latest scan",
  changed: "Changed in the latest scan",
  returned: "Returned after rejection",
  missing: "No longer found",
};
const PRESENCE_CHOICES = PRESENCES.map((value) => ({ value, label: PRESENCE_LABELS[value] }));
const MANAGED_CHOICES = [
  { value: "", label: "In a safe or not" },
  { value: "true", label: "In a safe" },
  { value: "false", label: "Not in a safe" },
];
const SYSTEM_CHOICES = [
  { value: "", label: "All systems" },
  ...DiscoveredSystem.options.map((value) => ({ value: value as string, label: SYSTEM_LABELS[value] })),
];

type PrivilegeChoice = "" | "true" | "false" | PrivilegeKind;

function privilegeFilter(choice: PrivilegeChoice) {
  if (choice === "") return {};
  return choice === "true" || choice === "false" ? { privileged: choice } : { privilege: choice };
}

export function DiscoveredList() {
  const [params, setParams] = useSearchParams();
  const status = choiceOf(params, "status", STATUSES);
  const privileged = choiceOf(params, "privileged", ["", "true", "false", ...PrivilegeKind.options]);
  const presence = choiceOf(params, "presence", PRESENCES);
  const managed = choiceOf(params, "managed", ["", "true", "false"]);
  const system = choiceOf(params, "system", ["", ...DiscoveredSystem.options]);
  const search = searchOf(params);
  const filter = {
    status,
    ...privilegeFilter(privileged),
    ...(presence === "" ? {} : { presence }),
    ...(managed === "" ? {} : { managed }),
    ...(system === "" ? {} : { system }),
    ...(search === undefined ? {} : { search }),
  };
  const list = useInfiniteQuery({ ...accountList(filter), placeholderData: keepPreviousData });
  const accounts = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const { total = 0, is_total_capped: isCapped = false } = list.data?.pages[0] ?? {};
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<readonly DiscoveredAccount[]>([]);
  const [areRulesOpen, setAreRulesOpen] = useState(false);
  const [dialog, setDialog] = useState<AccountDialog | null>(null);

  const open = useCallback((which: AccountDialog, these: readonly DiscoveredAccount[]) => {
    setChosen(these);
    setDialog(which);
  }, []);
  const propsOf = (which: AccountDialog) => ({ opened: dialog === which, onClose: () => setDialog(null) });
  const set = (part: string) => (value: string | null) => {
    setSelected(new Set());
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  };
  const settings = useTableSettings("discovered", DISCOVERED_COLUMNS);
  // A filter that leaves a few accounts does not change a layout that the user chose.
  const [layout, setLayout] = useLayout("discovered", Math.max(total, accounts.length));
  const decidable = accounts.filter(isDecidable);
  const marked = decidable.filter(({ id }) => selected.has(id));
  const mark = (id: string, isMarked: boolean) => {
    const next = new Set(marked.map((each) => each.id as string));
    if (isMarked && next.size < MOST_SELECTED) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const selection = {
    ids: new Set(marked.map(({ id }) => id as string)),
    select: mark,
    selectOnly: (ids: readonly string[]) => setSelected(new Set(ids.slice(0, MOST_SELECTED))),
  };
  const isFiltered =
    search !== undefined ||
    [privileged, presence, managed, system].some((each) => each !== "") ||
    status !== STATUSES[0];

  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Discovered accounts">
        <AddressSearch label="Search discovered accounts" placeholder="Search by account or host" />
        <FilterChoice label="Status" data={STATUS_CHOICES} value={status} onChange={set("status")} />
        <FilterChoice label="Privilege" data={PRIVILEGE_CHOICES} value={privileged} onChange={set("privileged")} />
        <FilterChoice label="Presence" data={PRESENCE_CHOICES} value={presence} onChange={set("presence")} />
        <FilterChoice label="Safes" data={MANAGED_CHOICES} value={managed} onChange={set("managed")} />
        <FilterChoice label="System" data={SYSTEM_CHOICES} value={system} onChange={set("system")} />
        <Button
          variant="default"
          leftSection={<IconListDetails size={16} aria-hidden />}
          onClick={() => setAreRulesOpen(true)}
        >
          Rules
        </Button>
        <div className={classes.looks}>
          {layout === "table" && <ColumnChoice columns={DISCOVERED_COLUMNS} settings={settings} />}
          <LayoutSwitch layout={layout} onChange={setLayout} />
        </div>
      </div>
      <Loaded
        query={list}
        failureText={list.error === null ? undefined : `Failed to load discovered accounts: ${messageOf(list.error)}`}
      >
        {() =>
          accounts.length === 0 ? (
            <EmptyState
              icon={IconUserSearch}
              title="No Discovered Accounts"
              text={
                isFiltered
                  ? "No account matches your search and filters."
                  : "Accounts that scans find appear here for approval."
              }
            />
          ) : (
            <>
              <div className={classes.selection} role="region" aria-label="Selected accounts">
                {decidable.length > 0 && layout === "cards" && (
                  <Checkbox
                    label={marked.length === 0 ? "Select all loaded" : `${counted(marked.length, "account")} selected`}
                    checked={marked.length > 0 && marked.length === Math.min(decidable.length, MOST_SELECTED)}
                    indeterminate={marked.length > 0 && marked.length < decidable.length}
                    onChange={({ currentTarget: { checked } }) =>
                      setSelected(new Set(checked ? decidable.slice(0, MOST_SELECTED).map(({ id }) => id) : []))
                    }
                  />
                )}
                <span className={classes.total} role="status">
                  {isCapped
                    ? `${accounts.length.toLocaleString()} of more than ${total.toLocaleString()} accounts`
                    : `${accounts.length.toLocaleString()} of ${counted(total, "account")}`}
                </span>
                {marked.length > 0 && (
                  <>
                    {layout === "table" && <span>{`${counted(marked.length, "account")} selected`}</span>}
                    <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={() => open("approve", marked)}>
                      Approve
                    </Button>
                    <Button
                      variant="light"
                      color="red"
                      leftSection={<IconX size={16} aria-hidden />}
                      onClick={() => open("reject", marked)}
                    >
                      Reject
                    </Button>
                  </>
                )}
              </div>
              {layout === "table" ? (
                <DiscoveredTable
                  rows={accounts}
                  settings={settings}
                  onOpen={open}
                  {...(decidable.length > 0 ? { selection } : {})}
                  {...nextPageOf(list)}
                  isStale={list.isPlaceholderData}
                />
              ) : (
                <RowList label="Discovered accounts">
                  {accounts.map((account) => (
                    <AccountRow
                      key={account.id}
                      account={account}
                      isMarked={selected.has(account.id)}
                      onMark={mark}
                      onOpen={open}
                    />
                  ))}
                </RowList>
              )}
              {(layout === "cards" || list.isFetchNextPageError) && <LoadMore of={list} />}
            </>
          )
        }
      </Loaded>
      <ApproveDialog accounts={chosen} {...propsOf("approve")} />
      <RulesDialog opened={areRulesOpen} onClose={() => setAreRulesOpen(false)} />
      <RejectDialog accounts={chosen} {...propsOf("reject")} />
      {chosen[0] !== undefined && <AccountDetails account={chosen[0]} {...propsOf("details")} />}
    </>
  );
}
