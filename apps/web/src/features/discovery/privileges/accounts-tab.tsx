// The Discovered Accounts tab: the accounts, or the SSH keys that open them.
import { SegmentedControl } from "@mantine/core";
import { useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { DiscoveredList } from "../accounts/discovered-list.tsx";
import { KeyList } from "./key-list.tsx";

const VIEWS = ["accounts", "keys"] as const;

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
          { value: "keys", label: "SSH keys" },
        ]}
        value={view}
        onChange={(next) => setParams({ tab: "accounts", ...(next === VIEWS[0] ? {} : { view: next }) })}
      />
      {view === "keys" ? <KeyList /> : <DiscoveredList />}
    </>
  );
}
