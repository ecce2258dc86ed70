// The Discovered Accounts tab: the accounts, the SSH keys that open them, or objects of cloud accounts.
import { SegmentedControl } from "@mantine/core";
import { useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { DiscoveredList } from "../accounts/discovered-list.tsx";
import { ResourceList } from "../cloud/resource-list.tsx";
import { KeyList } from "./key-list.tsx";

const VIEWS = ["accounts", "keys", "cloud"] as const;

export function AccountsTab() {
  const [params, setParams] = useSearchParams();
  const view = choiceOf(params, "view", VIEWS);
  return (
    <>
      <SegmentedControl
        aria-label="View"
        mt="md"
        data={[
          { value: "accounts", label: "Accounts" },
          { value: "keys", label: "SSH Keys" },
          { value: "cloud", label: "Cloud" },
        ]}
        value={view}
        onChange={(next) => setParams({ tab: "accounts", ...(next === VIEWS[0] ? {} : { view: next }) })}
      />
      {view === "accounts" && <DiscoveredList />}
      {view === "keys" && <KeyList />}
      {view === "cloud" && <ResourceList />}
    </>
  );
}
