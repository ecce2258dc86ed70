// The Discovered Accounts tab: filters, selection, decisions and details (DISC-33 to DISC-47).
import { Anchor, Button, Checkbox, Select } from "@mantine/core";
import { IconCheck, IconEye, IconListDetails, IconUserSearch, IconX } from "@tabler/icons-react";
import { DiscoveredStatus, DiscoveredSystem, type DiscoveredAccount } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { choiceOf, searchOf, withParam } from "#shared/format/address.ts";
import { paths } from "#shared/paths.ts";
import { counted } from "#shared/format/text.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { ACCOUNT_BADGES, ONBOARDING_BADGES, SYSTEM_LABELS } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { accountList } from "../discovery.queries.ts";
import { AccountDetails } from "./account-details.tsx";
import { RulesDialog } from "../rules/rules-dialog.tsx";
import { ApproveDialog, RejectDialog } from "./decision-dialogs.tsx";

/** The limit of one call. */
const MOST_SELECTED = 1000;
const MOST_COUNTED = 10_000;

const STATUSES = ["pending_approval", "active", "rejected", "all"] as const;
const STATUS_CHOICES = STATUSES.map((value) => ({
  value,
  label: value === "all" ? "All statuses" : ACCOUNT_BADGES[value].label,
}));
const PRIVILEGE_CHOICES = [
  { value: "", label: "All accounts" },
  { value: "true", label: "Privileged accounts" },
  { value: "false", label: "Other accounts" },
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

type DialogName = "approve" | "reject" | "details";

export function DiscoveredList() {
  const [params, setParams] = useSearchParams();
  const status = choiceOf(params, "status", STATUSES);
  const privileged = choiceOf(params, "privileged", ["", "true", "false"]);
  const presence = choiceOf(params, "presence", PRESENCES);
  const managed = choiceOf(params, "managed", ["", "true", "false"]);
  const system = choiceOf(params, "system", ["", ...DiscoveredSystem.options]);
  const search = searchOf(params);
  const filter = {
    status,
    ...(privileged === "" ? {} : { privileged }),
    ...(presence === "" ? {} : { presence }),
    ...(managed === "" ? {} : { managed }),
    ...(system === "" ? {} : { system }),
    ...(search === undefined ? {} : { search }),
  };
  const list = useInfiniteQuery({ ...accountList(filter), placeholderData: keepPreviousData });
  const accounts = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<readonly DiscoveredAccount[]>([]);
  const [areRulesOpen, setAreRulesOpen] = useState(false);
  const [dialog, setDialog] = useState<DialogName | null>(null);

  const open = (which: DialogName, these: readonly DiscoveredAccount[]) => {
    setChosen(these);
    setDialog(which);
  };
  const propsOf = (which: DialogName) => ({ opened: dialog === which, onClose: () => setDialog(null) });
  const set = (part: string) => (value: string | null) => {
    setSelected(new Set());
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  };
  const decidable = accounts.filter(isDecidable);
  const marked = decidable.filter(({ id }) => selected.has(id));
  const mark = (id: string, isMarked: boolean) => {
    const next = new Set(marked.map((each) => each.id as string));
    if (isMarked && next.size < MOST_SELECTED) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const isFiltered =
    search !== undefined ||
    [privileged, presence, managed, system].some((each) => each !== "") ||
    status !== STATUSES[0];

  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Discovered accounts">
        <AddressSearch label="Search discovered accounts" placeholder="Search by account or host" />
        <Select
          className={classes.choice}
          aria-label="Status"
          data={STATUS_CHOICES}
          value={status}
          allowDeselect={false}
          onChange={set("status")}
        />
        <Select
          className={classes.choice}
          aria-label="Privilege"
          data={PRIVILEGE_CHOICES}
          value={privileged}
          allowDeselect={false}
          onChange={set("privileged")}
        />
        <Select
          className={classes.choice}
          aria-label="Presence"
          data={PRESENCE_CHOICES}
          value={presence}
          allowDeselect={false}
          onChange={set("presence")}
        />
        <Select
          className={classes.choice}
          aria-label="Safes"
          data={MANAGED_CHOICES}
          value={managed}
          allowDeselect={false}
          onChange={set("managed")}
        />
        <Select
          className={classes.choice}
          aria-label="System"
          data={SYSTEM_CHOICES}
          value={system}
          allowDeselect={false}
          onChange={set("system")}
        />
        <Button
          variant="default"
          leftSection={<IconListDetails size={16} aria-hidden />}
          onClick={() => setAreRulesOpen(true)}
        >
          Rules
        </Button>
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
                {decidable.length > 0 && (
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
                  {total >= MOST_COUNTED
                    ? `${accounts.length.toLocaleString()} of more than ${MOST_COUNTED.toLocaleString()} accounts`
                    : `${accounts.length.toLocaleString()} of ${counted(total, "account")}`}
                </span>
                {marked.length > 0 && (
                  <>
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
              <LoadMore of={list} />
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

/** DISC-34. */
const isDecidable = ({ can_manage, status }: DiscoveredAccount): boolean =>
  can_manage && status === DiscoveredStatus.enum.pending_approval;

interface AccountRowProps {
  account: DiscoveredAccount;
  isMarked: boolean;
  onMark: (id: string, isMarked: boolean) => void;
  onOpen: (dialog: DialogName, accounts: readonly DiscoveredAccount[]) => void;
}

function AccountRow({ account, isMarked, onMark, onOpen }: AccountRowProps) {
  const { account_name: name, hostname_ip: host, discovery_metadata: known } = account;
  const where = `${name} on ${host}`;
  const canDecide = isDecidable(account);
  return (
    <Row
      icon={
        canDecide ? (
          <Checkbox
            aria-label={`Select ${where}`}
            checked={isMarked}
            onChange={({ currentTarget: { checked } }) => onMark(account.id, checked)}
          />
        ) : undefined
      }
      isOver={account.missing_since !== null}
      name={
        <>
          <bdi>{name}</bdi>
          <StatusBadge {...ACCOUNT_BADGES[account.status]} />
          {account.onboarding !== null && <StatusBadge {...ONBOARDING_BADGES[account.onboarding.state]} />}
          {known.is_privileged && <Tag tone="danger">Privileged</Tag>}
          {known.is_locked && <Tag>Locked</Tag>}
          {account.is_managed && <Tag tone="success">In a safe</Tag>}
          {account.missing_since !== null && <Tag tone="warning">No longer found</Tag>}
          {known.changes.length > 0 && <Tag tone="info">Changed</Tag>}
        </>
      }
      actions={
        <>
          {canDecide && (
            <>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Approve ${where}`}
                leftSection={<IconCheck size={15} aria-hidden />}
                onClick={() => onOpen("approve", [account])}
              >
                Approve
              </Button>
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                aria-label={`Reject ${where}`}
                leftSection={<IconX size={15} aria-hidden />}
                onClick={() => onOpen("reject", [account])}
              >
                Reject
              </Button>
            </>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Details of ${where}`}
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={() => onOpen("details", [account])}
          >
            Details
          </Button>
        </>
      }
    >
      <RowDetail>
        {`${host} · ${SYSTEM_LABELS[account.system_type]} · First found: `}
        <RelativeTime moment={account.discovered_at} />
      </RowDetail>
      <RowDetail>
        Last login: <RelativeTime moment={known.last_login_at} none="unknown" /> · Password changed:{" "}
        <RelativeTime moment={known.password_changed_at} none="unknown" />
      </RowDetail>
      {account.rejection_reason !== null && account.status === "rejected" && (
        <RowDetail>{`Rejected by ${account.decided_by}: ${account.rejection_reason}`}</RowDetail>
      )}
      {account.rejection_reason !== null && account.status === "pending_approval" && (
        <RowDetail>{`Needs a new decision. Rejected before by ${account.decided_by}: ${account.rejection_reason}`}</RowDetail>
      )}
      {account.onboarding !== null && account.onboarding.state !== "undone" && (
        <RowDetail>{account.onboarding.message}</RowDetail>
      )}
      {account.account_id !== null && (
        <RowDetail>
          <Anchor component={Link} to={paths.account(account.account_id)} size="sm">
            Open the account in its safe
          </Anchor>
        </RowDetail>
      )}
    </Row>
  );
}
